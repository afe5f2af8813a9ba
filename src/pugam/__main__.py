"""The command line as a module: `python -m pugam VERB ...`."""

from pugam.command_line import main

if __name__ == "__main__":
    main()
