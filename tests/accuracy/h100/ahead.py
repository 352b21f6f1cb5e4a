"""Compiling for an H100 that is not there, and what ptxas says of the code."""

import os
import re
import subprocess

os.environ["JAX_PLATFORMS"] = "cpu"
from jax.experimental import topologies
from jax.sharding import SingleDeviceSharding


def on_one_device(description):
    """The sharding of arrays on one GPU, of which the file `description` has XLA's target config."""
    with open(description) as file:
        topology = topologies.get_topology_desc(
            platform="cuda", topology_name="", target_config=file.read(), topology="1x1x1"
        )
    return SingleDeviceSharding(topology.devices[0])


def registers(ptxas, path):
    """By the name of each kernel of a file of PTX: the registers of a thread, and the bytes that do not fit into them."""
    told = subprocess.run([ptxas, "-v", "-arch=sm_90a", path, "-o", os.devnull], capture_output=True, text=True)
    kernels = re.findall(
        r"entry function '(\w+)'.*?(\d+) bytes spill stores.*?Used (\d+) registers", told.stderr, re.S
    )
    return {name: (int(used), int(spilled)) for name, spilled, used in kernels}
