// The run of a backward: tasks, their order, and what happens around each node.
#include "vm/modules/torch/autograd/engine.h"

#include "objects/call.h"
#include "objects/classes/weakref.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/names.h"
#include "objects/operators.h"
#include "objects/thread_parts.h"
#include "vm/modules/torch/autograd/anomaly.h"
#include "vm/modules/torch/autograd/gradient.h"
#include "vm/modules/torch/autograd/hooks.h"
#include "vm/modules/torch/autograd/record.h"
#include "vm/modules/torch/call/op.h"

// A node, or a leaf, that the run can reach.
typedef struct Task {
    Value target;       // a GradNode or a leaf Tensor
    Value grads;        // a tuple, a gradient or None for each result; VALUE_ERROR = none came yet
    uint32_t waits_for; // edges whose gradient has not come
    uint32_t next_edge; // while tasks are counted: the edge to follow next
    uint32_t input;     // the first of the run's inputs that this is, + 1; 0 = it is none
    bool counted;       // its edges have been followed
    bool needed;        // an input of the run can be reached from here
} Task;

// A tensor whose gradient is asked for.
typedef struct Input {
    GradEdge edge; // owned
    uint32_t next; // the next input with the same target, + 1
} Input;

typedef struct BackwardRun BackwardRun;
struct BackwardRun {
    const BackwardOptions *options;
    const BackwardRun *outer; // a node may start a run of its own
    int64_t id;               // counted from 0
    GradNode *node;           // the one that is being called; NULL = none
    Input *inputs;
    uint32_t input_count;
    Value captured; // a tuple: the gradients of the inputs
    Task *tasks;
    uint32_t count, room;
    uint32_t *table; // hash of a target -> index of its task + 1
    uint32_t table_size;
    uint32_t *queue; // a heap of the indices of tasks that are ready
    uint32_t queued;
};
static const BackwardRun *current_run; // the innermost of this thread; NULL = none

// ---- the tasks

static bool is_node(const Task *task)
{
    return !tensor_check(task->target);
}
static int edge_count(const Task *task)
{
    return is_node(task) ? as_grad_node(task->target)->edge_count : 0;
}
static int result_count(const Task *task)
{
    return is_node(task) ? as_grad_node(task->target)->result_count : 1;
}

static uint32_t *table_slot(const BackwardRun *run, ValueRef target)
{
    uint32_t mask = run->table_size - 1;
    uint32_t index = (uint32_t)(bits_of(target) >> 4) * 2654435769u;
    for (index &= mask;; index = (index + 1) & mask) {
        uint32_t task = run->table[index];
        if (!task || run->tasks[task - 1].target == target) return &run->table[index];
    }
}

// More room for tasks; the table stays at most half full.
static bool grow(BackwardRun *run)
{
    uint32_t room = run->room ? 2 * run->room : 64;
    Task *tasks = memory_resize(run->tasks, room * sizeof *tasks);
    if (tasks) run->tasks = tasks;
    uint32_t *queue = tasks ? memory_resize(run->queue, room * sizeof *queue) : NULL;
    if (queue) run->queue = queue;
    uint32_t *table = queue ? memory_alloc_zeroed(2 * (size_t)room * sizeof *table) : NULL;
    if (!table) return raise_memory_error();
    memory_free(run->table);
    run->table = table;
    run->table_size = 2 * room;
    run->room = room;
    for (uint32_t i = 0; i < run->count; i++) *table_slot(run, run->tasks[i].target) = i + 1;
    return true;
}

static Task *find_task(const BackwardRun *run, ValueRef target)
{
    uint32_t index = run->count ? *table_slot(run, target) : 0;
    return index ? &run->tasks[index - 1] : NULL;
}

// The index of the target's task, which is made where there is none. -1 = MemoryError is pending.
static int64_t task_of(BackwardRun *run, ValueRef target)
{
    if (run->count == run->room && !grow(run)) return -1;
    uint32_t *slot = table_slot(run, target);
    if (!*slot) {
        run->tasks[run->count] = (Task){.target = retain(target)};
        *slot = ++run->count;
        invariant(2 * run->count <= run->table_size, "the table is at most half full");
    }
    return *slot - 1;
}

// ---- counting

// Follows the next edge of the task on top of the stack (kept in `queue`, which is idle now).
static bool follow_edge(BackwardRun *run, uint32_t *depth)
{
    Task *task = &run->tasks[run->queue[*depth - 1]];
    const GradEdge *edge = &as_grad_node(task->target)->edges[task->next_edge++];
    if (!edge->target) return true;
    int64_t index = task_of(run, edge->target);
    if (index < 0) return false;
    run->tasks[index].waits_for++;
    if (!run->tasks[index].counted) run->queue[(*depth)++] = (uint32_t)index;
    run->tasks[index].counted = true;
    invariant(*depth <= run->count, "a task is on the stack once");
    return true;
}

static bool leads_to_needed(const BackwardRun *run, const Task *task)
{
    for (int i = 0; i < edge_count(task); i++) {
        ValueRef target = as_grad_node(task->target)->edges[i].target;
        if (target && find_task(run, target)->needed) return true;
    }
    return false;
}

// Depth first, without recursion: all that can be reached from a root, and what of it is needed.
static bool count_from(BackwardRun *run, uint32_t root)
{
    uint32_t depth = 0;
    run->queue[depth++] = root;
    run->tasks[root].counted = true;
    while (depth) {
        Task *task = &run->tasks[run->queue[depth - 1]];
        if (task->next_edge < (uint32_t)edge_count(task)) {
            if (!follow_edge(run, &depth)) return false;
            continue;
        }
        task->needed = task->input || !run->input_count || leads_to_needed(run, task);
        depth--;
    }
    return true;
}

// ---- gradients on their way

static Value empty_grads(int count)
{
    Value grads = tuple_new(count);
    for (int i = 0; grads && i < count; i++) as_tuple(grads)->items[i] = retain(NONE);
    return grads;
}

// Nothing else sees the tensor or its memory, and no mode is asked: the next gradient is added to
// it in place, which counts as a write.
static bool is_own(ValueRef grad)
{
    const Tensor *tensor = as_tensor(grad);
    bool asked = op_state.grad_enabled || op_state.dispatching || op_state.transforming ||
                 !is_exactly(grad, tensor_type);
    return !asked && tensor->base.refcount == 1 && tensor->storage &&
           tensor->storage->base.refcount == 1 && tensor_is_dense(tensor);
}

// Takes the gradient out of its slot.
static bool add_gradient(Task *task, uint32_t result_nr, Value *grad)
{
    if (!task->grads) task->grads = empty_grads(result_count(task));
    if (!task->grads) return false;
    Value *slot = &as_tuple(task->grads)->items[result_nr];
    if (*slot != NONE)
        replace_slot(grad, op_apply(OP_add_Tensor, is_own(*slot), (ValueRef[]){*slot, *grad}, 2));
    if (!*grad) return false;
    replace_slot(slot, *grad);
    *grad = VALUE_ERROR;
    return true;
}

// ---- the queue: a heap, the task that comes first on top

static bool comes_before(const BackwardRun *run, uint32_t a, uint32_t b)
{
    const Task *first = &run->tasks[a], *second = &run->tasks[b];
    if (!is_node(first) || !is_node(second)) return !is_node(first) && is_node(second);
    return as_grad_node(first->target)->sequence > as_grad_node(second->target)->sequence;
}

static void queue_push(BackwardRun *run, uint32_t task)
{
    uint32_t index = run->queued++;
    for (; index && comes_before(run, task, run->queue[(index - 1) / 2]); index = (index - 1) / 2)
        run->queue[index] = run->queue[(index - 1) / 2];
    run->queue[index] = task;
}

static uint32_t queue_pop(BackwardRun *run)
{
    uint32_t top = run->queue[0], last = run->queue[--run->queued], index = 0;
    for (;;) {
        uint32_t child = 2 * index + 1;
        if (child + 1 < run->queued && comes_before(run, run->queue[child + 1], run->queue[child]))
            child++;
        if (child >= run->queued || !comes_before(run, run->queue[child], last)) break;
        run->queue[index] = run->queue[child];
        index = child;
    }
    if (run->queued) run->queue[index] = last;
    return top;
}

// ---- hooks

// What a node keeps for one of its results (hooks_keep): VALUE_ERROR = nothing.
static ValueRef kept_for(ValueRef all, int index)
{
    ValueRef kept = all ? dict_peek_key(all, from_small(index), index) : ABSENT;
    return kept == ABSENT ? VALUE_ERROR : kept;
}

// The hooks of the tensor that result number `index` of the task is.
static ValueRef tensor_hooks(const Task *task, int index)
{
    if (!is_node(task)) return as_tensor(task->target)->hooks;
    return kept_for(as_grad_node(task->target)->tensor_hooks, index);
}

static bool retain_gradient(const Task *task, int index, ValueRef grad)
{
    ValueRef all = is_node(task) ? (ValueRef)as_grad_node(task->target)->retained : VALUE_ERROR;
    ValueRef reference = kept_for(all, index);
    ValueRef tensor = reference ? weakref_target(reference) : VALUE_ERROR;
    return !tensor || tensor_set_grad(as_tensor(tensor), grad);
}

static bool run_tensor_hooks(Task *task)
{
    for (int i = 0; i < result_count(task); i++) {
        ValueRef hooks = tensor_hooks(task, i);
        Value *grad = &as_tuple(task->grads)->items[i];
        Value held = hooks ? retain(hooks) : VALUE_ERROR;
        bool done = !hooks || hooks_call(held, grad, VALUE_ERROR);
        drop(held);
        if (!done || (*grad != NONE && !retain_gradient(task, i, *grad))) return false;
    }
    return true;
}

static bool run_prehooks(Task *task)
{
    ValueRef hooks = as_grad_node(task->target)->prehooks;
    if (!hooks) return true;
    Value held = retain(hooks);
    bool done = hooks_call(held, &task->grads, VALUE_ERROR);
    drop(held);
    return done;
}

static bool run_posthooks(const Task *task, Value *results)
{
    GradNode *node = as_grad_node(task->target);
    if (!node->hooks) return true;
    Value held = retain(node->hooks);
    Value inputs = empty_grads(node->edge_count);
    for (int i = 0; inputs && i < node->edge_count; i++)
        if (results[i]) replace_slot(&as_tuple(inputs)->items[i], retain(results[i]));
    bool done = inputs && hooks_call(held, &inputs, task->grads);
    for (int i = 0; done && i < node->edge_count; i++) {
        ValueRef grad = tuple_at(inputs, i);
        replace_slot(&results[i], grad == NONE ? VALUE_ERROR : retain(grad));
    }
    drop(inputs);
    drop(held);
    return done;
}

// ---- running a task

static void capture(const BackwardRun *run, const Task *task)
{
    for (uint32_t i = task->input; i; i = run->inputs[i - 1].next) {
        ValueRef grad = tuple_at(task->grads, run->inputs[i - 1].edge.result_nr);
        replace_slot(&as_tuple(run->captured)->items[i - 1], retain(grad));
    }
}

// Hands the gradients along the edges.
static bool hand_on(BackwardRun *run, uint32_t from, Value *results)
{
    const GradNode *node = as_grad_node(run->tasks[from].target);
    for (int i = 0; i < node->edge_count; i++) {
        const GradEdge *edge = &node->edges[i];
        Task *task = edge->target ? find_task(run, edge->target) : NULL;
        if (!task) continue;
        if (results[i] && task->needed && !add_gradient(task, edge->result_nr, &results[i]))
            return false;
        invariant(task->waits_for, "a task waits for each edge that leads to it, once");
        if (--task->waits_for == 0 && task->needed) queue_push(run, (uint32_t)(task - run->tasks));
    }
    return true;
}

static bool run_node(BackwardRun *run, uint32_t index)
{
    Task *task = &run->tasks[index];
    GradNode *node = as_grad_node(task->target);
    Value *results = memory_alloc_zeroed((node->edge_count + 1u) * sizeof *results);
    if (!results) return raise_memory_error();
    run->node = node;
    bool done = run_prehooks(task) && grad_node_run(node, task->grads, results) &&
                (!anomaly_state.enabled || anomaly_check(node, results)) &&
                run_posthooks(task, results);
    if (!done && anomaly_state.enabled) anomaly_report(node);
    run->node = NULL;
    done = done && hand_on(run, index, results);
    for (int i = 0; i < node->edge_count; i++) drop(results[i]);
    memory_free(results);
    if (done && !run->options->keep_graph) grad_node_free_saved(node);
    return done;
}

static bool run_leaf(const BackwardRun *run, Task *task)
{
    if (!run->options->accumulate || tuple_at(task->grads, 0) == NONE) return true;
    return tensor_accumulate(as_tensor(task->target), &as_tuple(task->grads)->items[0]);
}

static bool run_task(BackwardRun *run, uint32_t index)
{
    Task *task = &run->tasks[index];
    if (!task->grads) task->grads = empty_grads(result_count(task));
    if (!task->grads || !run_tensor_hooks(task)) return false;
    if (!run->options->accumulate) capture(run, task);
    bool goes_on = !run->input_count || leads_to_needed(run, task);
    bool done = !is_node(task) ? run_leaf(run, task) : !goes_on || run_node(run, index);
    drop_slot(&task->grads);
    return done;
}

// ---- the whole run

// A root without a gradient is an error, also where an input has none.
static bool check_roots(ValueRef tensors)
{
    for (ssize_t i = 0; i < tuple_size(tensors); i++) {
        GradEdge edge;
        if (!tensor_edge(as_tensor(tuple_at(tensors, i)), &edge)) return false;
        if (!edge.target)
            return raise_error(RuntimeError,
                               "element %d of tensors does not require grad and does not have a "
                               "grad_fn",
                               (int)i);
        drop(edge.target);
    }
    return true;
}

static bool add_root(BackwardRun *run, Tensor *tensor, ValueRef grad)
{
    GradEdge edge;
    if (!tensor_edge(tensor, &edge)) return false;
    int64_t index = task_of(run, edge.target);
    bool done = index >= 0 && (run->tasks[index].counted || count_from(run, (uint32_t)index));
    Value added = done && grad != NONE ? retain(grad) : VALUE_ERROR;
    if (added) done = add_gradient(find_task(run, edge.target), edge.result_nr, &added);
    drop(added);
    drop(edge.target);
    return done;
}

// The edge that an input of the run stands for: a tensor, or a pair of a node and a number
// (torch.autograd.graph.GradientEdge).
static bool input_edge(const BackwardRun *run, ValueRef given, GradEdge *edge)
{
    if (tensor_check(given)) {
        bool kept = !run->options->accumulate || tensor_retain_grad(as_tensor(given));
        return kept && tensor_edge(as_tensor(given), edge);
    }
    const GradNode *node = as_grad_node(tuple_at(given, 0));
    bool leaf = node->kind == NODE_ACCUMULATE;
    edge->target = retain(leaf ? (ValueRef)node->variable : ref_of(node));
    edge->result_nr = (uint32_t)small_value(tuple_at(given, 1));
    return true;
}

static bool add_input(BackwardRun *run, ValueRef given)
{
    Input *input = &run->inputs[run->input_count];
    if (!input_edge(run, given, &input->edge)) return false;
    if (!input->edge.target) {
        run->input_count++; // a view made under no_grad: no task ends in it
        return tensor_requires_grad(as_tensor(given)) ||
               raise_error(RuntimeError, "One of the differentiated Tensors does not require grad");
    }
    int64_t index = task_of(run, input->edge.target);
    if (index < 0) return false;
    Task *task = &run->tasks[index];
    input->next = task->input;
    task->input = ++run->input_count;
    task->needed = true;
    return true;
}

// The inputs are tasks from the beginning, so that what leads to them is found to be needed.
static bool add_inputs(BackwardRun *run, ValueRef inputs)
{
    size_t count = (size_t)tuple_size(inputs);
    run->captured = empty_grads((int)count);
    run->inputs = run->captured ? memory_alloc_zeroed((count + 1) * sizeof *run->inputs) : NULL;
    if (!run->inputs) return run->captured ? raise_memory_error() : VALUE_ERROR;
    for (size_t i = 0; i < count; i++)
        if (!add_input(run, tuple_at(inputs, (ssize_t)i))) return false;
    return true;
}

static bool run_all(BackwardRun *run)
{
    for (uint32_t i = 0; i < run->count; i++)
        if (!run->tasks[i].waits_for && run->tasks[i].grads) queue_push(run, i);
    while (run->queued)
        if (!run_task(run, queue_pop(run))) return false;
    return true;
}

static bool check_captured(const BackwardRun *run)
{
    for (uint32_t i = 0; i < run->input_count; i++)
        if (tuple_at(run->captured, i) == NONE && !run->options->allow_unused)
            return raise_error(RuntimeError,
                               "One of the differentiated Tensors appears to not have been used "
                               "in the graph. Set allow_unused=True if this is the desired "
                               "behavior.");
    return true;
}

static void run_finish(BackwardRun *run)
{
    for (uint32_t i = 0; i < run->count; i++) {
        drop(run->tasks[i].grads);
        drop(run->tasks[i].target);
    }
    for (uint32_t i = 0; i < run->input_count; i++) drop(run->inputs[i].edge.target);
    memory_free(run->inputs);
    memory_free(run->tasks);
    memory_free(run->table);
    memory_free(run->queue);
}

static bool run_begin(BackwardRun *run, ValueRef tensors, ValueRef grads, ValueRef inputs)
{
    if (!check_roots(tensors) || !grow(run) || !add_inputs(run, inputs)) return false;
    for (ssize_t i = 0; i < tuple_size(tensors); i++)
        if (!add_root(run, as_tensor(tuple_at(tensors, i)), tuple_at(grads, i))) return false;
    return true;
}

Value backward_run(ValueRef tensors, ValueRef grads, ValueRef inputs,
                   const BackwardOptions *options)
{
    static int64_t next_id;
    BackwardRun run = {.options = options, .outer = current_run, .id = next_id++};
    bool enabled = op_state.grad_enabled;
    current_run = &run;
    op_state.grad_enabled = options->create_graph;
    bool done = run_begin(&run, tensors, grads, inputs) && run_all(&run) &&
                (options->accumulate || check_captured(&run));
    op_state.grad_enabled = enabled;
    current_run = run.outer;
    run_finish(&run);
    if (done && !options->accumulate) return run.captured;
    drop(run.captured);
    return done ? retain(NONE) : VALUE_ERROR;
}

// ---- the run that goes on

void backward_init(void)
{
    static ThreadPart part = {.variables = &current_run, .size = sizeof current_run};
    thread_part_add(&part);
}

bool backward_accumulates(void)
{
    for (const BackwardRun *run = current_run; run; run = run->outer)
        if (run->input_count) return false;
    return true;
}

int64_t backward_id(void)
{
    return current_run ? current_run->id : -1;
}

GradNode *backward_node(void)
{
    return current_run ? current_run->node : NULL;
}

bool backward_will_run(const GradNode *node, bool *answer)
{
    bool leaf = node->kind == NODE_ACCUMULATE;
    if (!current_run) return raise_error(RuntimeError, "There is no backward pass now.");
    if (leaf && !current_run->options->accumulate)
        return raise_error(RuntimeError,
                           "A leaf node was passed to _will_engine_execute_node but we are "
                           "currently running autograd.grad(). This is currently not supported.");
    const Task *task = find_task(current_run, leaf ? (ValueRef)node->variable : ref_of(node));
    *answer = task && (!current_run->input_count || task->needed || task->input);
    return true;
}
