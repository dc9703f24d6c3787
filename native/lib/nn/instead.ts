// What PyTorch has as classes and has another form here: each name is an error that says what to write. None is
// declared: see instead.ts of the library.
import { absent, pythonNames, refuseCalls } from "../instead.ts";
import { ModuleDict, ModuleList, Sequential } from "./containers.ts";
import { Module } from "./module.ts";
import { ParameterList } from "./parameter-lists.ts";

/** @internal */
export const Parameter = absent("nn.Parameter", "a tensor in a property of the module, with requiresGrad = true");

const lazy = (name: string, write: string) =>
  absent(`nn.Lazy${name}`, `${write}: sizes are told when a layer is made, and x.shape says them`);
/** @internal */
export const LazyLinear = lazy("Linear", "new nn.Linear(inputs, outputs)");
/** @internal */
export const LazyConv1d = lazy("Conv1d", "new nn.Conv1d(inputs, outputs, kernel)");
/** @internal */
export const LazyConv2d = lazy("Conv2d", "new nn.Conv2d(inputs, outputs, kernel)");
/** @internal */
export const LazyConv3d = lazy("Conv3d", "new nn.Conv3d(inputs, outputs, kernel)");
/** @internal */
export const LazyBatchNorm1d = lazy("BatchNorm1d", "new nn.BatchNorm1d(channels)");
/** @internal */
export const LazyBatchNorm2d = lazy("BatchNorm2d", "new nn.BatchNorm2d(channels)");
/** @internal */
export const SyncBatchNorm = absent("nn.SyncBatchNorm", "new nn.BatchNorm2d(channels), since a model is on one device");
/** @internal */
export const DataParallel = absent("nn.DataParallel", "the model itself, since a model is on one device");
/** @internal */
export const FractionalMaxPool2d = absent("nn.FractionalMaxPool2d", "new nn.AdaptiveMaxPool2d(size)");
/** @internal */
export const FractionalMaxPool3d = absent("nn.FractionalMaxPool3d", "new nn.AdaptiveMaxPool3d(size)");
/** @internal */
export const AdaptiveLogSoftmaxWithLoss = absent("nn.AdaptiveLogSoftmaxWithLoss", "new nn.Linear and crossEntropy");

refuseCalls(Module.prototype, "A module", {
  ...pythonNames(Module.prototype, "model"),
  save: 'await io.save("model.safetensors", model.stateDict())',
  load: 'model.loadStateDict(await io.load("model.safetensors"))',
  apply: "for (const [name, module] of model.namedModules()) …",
  modules: "model.namedModules()",
  children: "the properties of the model, or model.namedModules()",
  named_children: "the properties of the model, or model.namedModules()",
  compile: "graph(() => …), which records a step and runs it again",
  register_buffer: "this.mean = x, since a tensor that wants no gradient is saved and not trained",
  registerBuffer: "this.mean = x, since a tensor that wants no gradient is saved and not trained",
  register_parameter: "this.scale = x, where x.requiresGrad is true",
  registerParameter: "this.scale = x, where x.requiresGrad is true",
  add_module: "this.layer = new nn.Linear(2, 3)",
  addModule: "this.layer = new nn.Linear(2, 3)",
  fit: "a loop over the batches of a DataLoader",
  predict: "noGrad(() => model(x))",
  requires_grad_: "model.requiresGrad()",
  cuda: 'model.to("cuda")',
  cpu: 'model.to("cpu")',
  float: 'model.to("float32")',
  double: 'model.to("float64")',
  half: 'model.to("float16")',
  bfloat16: 'model.to("bfloat16")',
});

for (const list of [ModuleList, ParameterList])
  refuseCalls(list.prototype, `A ${list.name}`, {
    append: "list.push(each)",
    extend: "for (const each of others) list.push(each)",
    insert: "a list of the others, in the order that is wanted",
  });
refuseCalls(Sequential.prototype, "A Sequential", { append: "new nn.Sequential(...net.layers, layer)" });
refuseCalls(ModuleDict.prototype, "A ModuleDict", {
  keys: "dict.modules.keys()",
  values: "dict.modules.values()",
  items: "for (const [name, module] of dict)",
});
