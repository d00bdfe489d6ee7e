// The end of torch, for vm.c.
#pragma once

// Drops what the module holds: schemas, the class Tensor, idle blocks of storages. Tensors that a
// script has left behind stay valid.
void torch_finish(void);
