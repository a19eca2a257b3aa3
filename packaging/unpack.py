"""Unpacks what follows the start of the archive, with a thread for each processor: ``unpack.py FILE PLACE FOLDER``.

At the place are the contents of all files, one after the other, in parts that are each compressed by zstd. The file
``lib/list`` of the folder has in its first line the compressed and own sizes of the parts, then for each file its size,
its mode and its path. Exit code 3 says that the archive is damaged.
"""

import ctypes
import os
import sys
import threading

DAMAGED = 3


class Damage(Exception):
    """Something in the archive is not as it was built."""


class Zstd:
    """The library that decompresses, and notices what has changed."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.ZSTD_decompress.restype = ctypes.c_size_t

    def decompress(self, data, space, size):
        """Decompress into a buffer."""
        written = self.library.ZSTD_decompress(space, ctypes.c_size_t(size), data, ctypes.c_size_t(len(data)))
        if written != size:  # or a number that stands for an error
            raise Damage


def main(archive, place, folder):
    """Unpack into a folder."""
    zstd = Zstd(os.path.join(folder, "lib", "libzstd.so.1"))
    with open(os.path.join(folder, "lib", "list"), encoding="utf-8") as file:
        first, *lines = file.read().splitlines()
    files, end = [], 0
    for line in lines:
        size, mode, path = line.split(" ", 2)
        files.append((end, end + int(size), int(mode, 8), os.path.join(folder, path)))
        end += int(size)
    for parent in sorted({os.path.dirname(path) for *_, path in files}):
        os.makedirs(parent, exist_ok=True)
    for path in (path for first, last, _, path in files if first == last):
        open(path, "wb").close()
    parts, start, begin = [], int(place), 0
    for pair in first.split():
        packed, size = map(int, pair.split(":"))
        parts.append((start, packed, begin, begin + size))
        start, begin = start + packed, begin + size
    faults = []

    def work():
        space = ctypes.create_string_buffer(max(end - begin for _, _, begin, end in parts))
        try:
            while not faults:
                unpack(zstd, archive, waiting.pop(), space, files)
        except IndexError:
            pass
        except Exception as error:
            faults.append(error)

    waiting = parts[::-1]
    threads = [threading.Thread(target=work) for _ in os.sched_getaffinity(0)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if faults:
        raise faults[0]
    use_spare(os.path.join(folder, "lib"))


def unpack(zstd, archive, part, space, files):
    """Write what one part holds of the files; other threads may write the rest of its first and its last file."""
    start, packed, begin, end = part
    with open(archive, "rb") as file:
        file.seek(start)
        zstd.decompress(file.read(packed), space, end - begin)
    data = memoryview(space)
    for first, last, mode, path in files:
        if first < end and last > begin:
            opened = os.open(path, os.O_WRONLY | os.O_CREAT, mode)
            try:
                at, stop = max(first, begin), min(last, end)
                while at < stop:
                    at += os.pwrite(opened, data[at - begin : stop - begin], at - first)
            finally:
                os.close(opened)


def use_spare(folder):
    """Take libraries of the archive into use that this system lacks.

    Those that most systems have are taken from this one, which has drivers that need them as new as they are.
    """
    for name in sorted(os.listdir(os.path.join(folder, "spare"))):
        try:
            ctypes.CDLL(name)
        except OSError:
            os.rename(os.path.join(folder, "spare", name), os.path.join(folder, name))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Damage:
        sys.exit(DAMAGED)
    except OSError as error:
        sys.exit(f"{type(error).__name__}: {error}")
