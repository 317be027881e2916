"""``hopwatch agent``."""

import argparse
import os

from hopwatch_agent.settings.flags import add_flags, flags_in


class AgentCommand:
    """Runs the agent and its HTTP interface until SIGTERM or SIGINT."""

    help = "read journals, keep and land what they say, and serve it over HTTP"

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Adds the command's arguments."""
        parser.add_argument(
            "--check", action="store_true", help="say whether the settings can be used, and end"
        )
        add_flags(parser)

    def run(self, args: argparse.Namespace) -> int:
        """0 after an orderly end, 1 if not everything could be landed, 2 if it could not start."""
        from hopwatch_api.serve import check_settings, run_agent

        if args.check:
            return check_settings(os.environ, flags_in(args))
        return run_agent(os.environ, flags_in(args))
