"""What every model of the JSON that the agent answers with is."""

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """Made from the agent's views by their attributes."""

    model_config = ConfigDict(from_attributes=True, frozen=True)
