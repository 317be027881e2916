"""``hopwatch agent``."""

import argparse
import os


class AgentCommand:
    """Runs the agent and its HTTP interface until SIGTERM or SIGINT."""

    help = "read journals, keep and land what they say, and serve it over HTTP"

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Adds the command's arguments."""
        parser.add_argument("--dir", metavar="D", help="journal directory (HOPWATCH_DIR)")
        parser.add_argument(
            "--data", metavar="D", help="the agent's own folder (HOPWATCH_AGENT_DATA; D-data)"
        )
        parser.add_argument(
            "--land",
            metavar="URI",
            help="folder or object store for Parquet (HOPWATCH_AGENT_LAND; DATA/landed)",
        )
        parser.add_argument(
            "--listen",
            metavar="HOST:PORT",
            help="HTTP address (HOPWATCH_AGENT_LISTEN; 127.0.0.1:8735); port 0: any",
        )

    def run(self, args: argparse.Namespace) -> int:
        """0 after an orderly end, 1 if not everything could be landed, 2 if it could not start."""
        from hopwatch_api.serve import run_agent

        return run_agent(os.environ, directory=args.dir, data=args.data, land=args.land, listen=args.listen)
