"""Keys of the analysis's tables: what one row is of, wherever such rows are joined or grouped."""

LANE = ("stream", "lane")
LANE_OF_RECEIVER = ("stream", "receiver", "lane")
RANGE_OF_RECEIVER = (*LANE_OF_RECEIVER, "first", "last")
WAY = ("stream", "receiver")
EDGE = ("from_socket", "to_socket")
EDGE_OF_STREAM = ("stream", "from_socket", "to_socket")
LANE_OF_EDGE = ("stream", "lane", "from_socket", "to_socket", "depth")
HOP = ("from_node", "to_node")
