"""`python -m crownhead`."""

from crownhead.main import console

if __name__ == "__main__":
    console()
