"""A small process between Crownhead and an external program, on systems other than Windows.

The guard starts the program in a session of its own. When the program ends, or the other end of the lifeline is closed
(by Crownhead, or by the system after Crownhead was killed), the guard ends everything that the program has started. It
runs in a fresh interpreter and imports only the standard library, so that it starts quickly.

    python -I -S guard.py LIFELINE COMMAND [ARGUMENT ...]

LIFELINE is the number of an open file descriptor. The exit code is the program's, or 128 plus the number of the
signal that ended it, or 127 if it cannot be started; standard error then has the reason.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import time

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
CANNOT_START = 127
POLL_SECONDS = 0.5
LAST_SECONDS = 5.0


def main(lifeline: int, command: list[str]) -> int:
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    asked_to_end = []
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: asked_to_end.append(True))
    _prctl(PR_SET_CHILD_SUBREAPER)
    # If the guard is killed, only the system can end the program; Linux does.
    try:
        program = subprocess.Popen(
            command,
            start_new_session=True,
            preexec_fn=lambda: _prctl(PR_SET_PDEATHSIG, signal.SIGKILL),  # noqa: PLW1509 (there is only one thread)
        )
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        return CANNOT_START
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):  # close the guard's own copies of the pipes to the program
        os.dup2(nothing, standard)
    code = None
    events = select.poll()  # unlike select, it takes a lifeline of any number
    events.register(lifeline, select.POLLIN)
    events.register(woken, select.POLLIN)
    while code is None and not asked_to_end:
        ready = [descriptor for descriptor, _ in events.poll(1000 * POLL_SECONDS)]
        if lifeline in ready:
            break
        if woken in ready:
            os.read(woken, 4096)
        code = _reap(program.pid)
    _end_all(program.pid)
    return CANNOT_START if code is None else code


def _reap(program: int) -> int | None:
    """Reap ended children; return the exit code of the program if it is among them, else None."""
    code = None
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                break
            if pid == program:
                code = os.waitstatus_to_exitcode(status)
                code = 128 - code if code < 0 else code
    return code


def _end_all(program: int) -> None:
    """Kill the process group of the program and, if the guard inherits orphans, everything that it has ever started."""
    end = time.monotonic() + LAST_SECONDS
    with contextlib.suppress(OSError):
        os.killpg(program, signal.SIGKILL)
    while time.monotonic() < end:
        for pid in _children():
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        try:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                time.sleep(0.002)
        except ChildProcessError:
            return


def _children() -> list[int]:
    """Return the children of this process, including inherited orphans; none on systems without ``/proc``."""
    children = []
    me = os.getpid()
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc"):
            if name.isdigit():
                with contextlib.suppress(OSError, ValueError, IndexError):
                    with open(f"/proc/{name}/stat", "rb") as file:
                        parent = int(file.read().rpartition(b")")[2].split()[1])
                    if parent == me:
                        children.append(int(name))
    return children


def _prctl(option: int, value: int = 1) -> None:
    """Set an option of this process; do nothing on systems other than Linux."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            import ctypes

            ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
