"""The command ``hopwatch completion``."""

import argparse
import sys

SHELLS = ("bash", "zsh", "fish")

_EPILOG = """for this and each later shell:
  bash   eval "$(hopwatch completion bash)"        in ~/.bashrc
  zsh    eval "$(hopwatch completion zsh)"         in ~/.zshrc, below compinit
  fish   hopwatch completion fish | source         in ~/.config/fish/config.fish
A command whose extra is missing is completed once that is installed and the script made anew."""


class CompletionCommand:
    """Writes the script that a shell completes ``hopwatch`` by."""

    help = "a script by which bash, zsh or fish completes commands, flags and values"

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Adds the command's argument."""
        parser.epilog = _EPILOG
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
        parser.add_argument("shell", choices=SHELLS, help="whose script")

    def run(self, args: argparse.Namespace) -> int:
        """0."""
        from hopwatch_console.completion.script import script_for

        sys.stdout.write(script_for(args.shell))
        return 0
