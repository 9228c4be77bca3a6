"""``python -m polytomy``: the command ``polytomy``."""

from polytomy.cli.entry import main

if __name__ == "__main__":
    main()
