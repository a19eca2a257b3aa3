"""Unpacks what follows the start of the archive, with a thread for each processor: ``unpack.py FILE PLACE FOLDER``.

At the place: the size of the list in sixteen digits; the list, compressed; then the contents of all files, one after
the other, in parts that are each compressed. The list: in its first line the compressed and own sizes of the parts,
then for each file its size, its mode and its path.
"""

import lzma
import os
import sys
import threading

BLOCK = 1 << 20


def main(archive, place, folder):
    """Unpack into a folder."""
    with open(archive, "rb") as file:
        file.seek(int(place))
        size = int(file.read(16))
        first, *lines = lzma.decompress(file.read(size)).decode().splitlines()
        start = file.tell()
    files, end = [], 0
    for line in lines:
        size, mode, path = line.split(" ", 2)
        files.append((end, end + int(size), int(mode, 8), os.path.join(folder, path)))
        end += int(size)
    for parent in sorted({os.path.dirname(path) for *_, path in files}):
        os.makedirs(parent, exist_ok=True)
    for path in (path for first, last, _, path in files if first == last):
        open(path, "wb").close()
    parts, begin = [], 0
    for pair in first.split():
        packed, size = map(int, pair.split(":"))
        parts.append((start, packed, begin, begin + size))
        start, begin = start + packed, begin + size
    faults = []

    def work():
        try:
            while not faults:
                unpack(archive, parts.pop(0), files)
        except IndexError:
            pass
        except Exception as error:
            faults.append(error)

    threads = [threading.Thread(target=work) for _ in os.sched_getaffinity(0)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if faults:
        sys.exit(f"{type(faults[0]).__name__}: {faults[0]}")


def unpack(archive, part, files):
    """Write what one part holds of the files; other threads may write the rest of its first and its last file."""
    start, packed, begin, end = part
    with open(archive, "rb") as file:
        file.seek(start)
        data = memoryview(lzma.decompress(file.read(packed)))
    for first, last, mode, path in files:
        if first < end and last > begin:
            opened = os.open(path, os.O_WRONLY | os.O_CREAT, mode)
            try:
                at, stop = max(first, begin), min(last, end)
                while at < stop:
                    at += os.pwrite(opened, data[at - begin : min(stop, at + BLOCK) - begin], at - first)
            finally:
                os.close(opened)


if __name__ == "__main__":
    main(*sys.argv[1:])
