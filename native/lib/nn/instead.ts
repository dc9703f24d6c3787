// What PyTorch has as classes and has another form here: each name is an error that says what to write. None is
// declared: see instead.ts of the library.
import { absent, pythonNames, refuseCalls } from "../instead.ts";
import { Module } from "./module.ts";

/** @internal */
export const Parameter = absent("nn.Parameter", "a tensor in a property of the module, with requiresGrad = true");

refuseCalls(Module.prototype, "A module", {
  ...pythonNames(Module.prototype, "model"),
  save: 'await io.save("model.safetensors", model.stateDict())',
  load: 'model.loadStateDict(await io.load("model.safetensors"))',
  apply: "for (const [name, module] of model.namedModules()) …",
  modules: "model.namedModules()",
  children: "the properties of the model, or model.namedModules()",
  named_children: "the properties of the model, or model.namedModules()",
  compile: "graph(() => …), which records a step and runs it again",
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
