"""What each forked process would do again: the compilers' own imports, by a module that is trained once."""
import logging
import os

os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"  # no pool of processes
import torch

logging.disable(logging.CRITICAL)
for backend in ("eager", "aot_eager"):
    module = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4), torch.nn.Dropout(0.5))
    optimizer = torch.optim.Adam(module.parameters())
    torch.compile(module, backend=backend)(torch.ones(3, 4)).sum().backward()
    optimizer.step()
    torch._dynamo.reset()
