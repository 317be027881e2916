"""Every agent asked once, all at the same time."""

import asyncio
from datetime import datetime, timezone

from hopwatch_console.addresses import Address
from hopwatch_console.arguments import Wanted
from hopwatch_console.asking.client import AgentClient
from hopwatch_console.errors import AgentError
from hopwatch_console.fleet.picture import AgentPicture, Contact, Phase, Picture


async def asked_once(wanted: Wanted) -> Picture:
    """What they tell; an agent that does not answer has its trouble."""
    agents = await asyncio.gather(*(_asked(address, wanted) for address in wanted.addresses))
    return Picture(datetime.now(timezone.utc), tuple(agents))


async def _asked(address: Address, wanted: Wanted) -> AgentPicture:
    client = AgentClient(address, wanted.rights, wanted.timeout)
    try:
        # first whether it is an agent at all
        status = await client.status()
        sockets, connections, findings, incidents, numbered = await asyncio.gather(
            client.sockets(),
            client.connections(),
            client.findings(),
            client.incidents(),
            client.numbered(),
        )
    except AgentError as trouble:
        return AgentPicture(address, Contact(Phase.AWAY, datetime.now(timezone.utc), trouble))
    finally:
        await client.close()
    here = Contact(Phase.HERE, datetime.now(timezone.utc))
    return AgentPicture(address, here, status, sockets, connections, findings, incidents, numbered=numbered)
