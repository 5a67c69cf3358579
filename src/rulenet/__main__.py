"""`python -m rulenet` is the command `rulenet`."""

from rulenet.cli import app

if __name__ == "__main__":
    app()
