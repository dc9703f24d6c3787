// All parameters of a model as one vector, and back.
import { noGrad } from "../autograd/gradients.ts";
import { TensorError } from "../errors.ts";
import { formatShape } from "../memory/shape.ts";
import { cat } from "../tensor/joining.ts";
import { Tensor } from "../tensor/tensor.ts";
import { worded } from "../wording.ts";

/** The parameters of a list. Throws TensorError for what is none. */
function listOf(name: string, parameters: Iterable<Tensor>): Tensor[] {
  if ((parameters as unknown) instanceof Tensor)
    throw new TensorError("OPERANDS", `${name} takes a list of parameters but got a tensor: write [x].`);
  const list = typeof parameters === "object" && Symbol.iterator in parameters ? [...parameters] : [];
  const odd = list.find((each) => !(each instanceof Tensor));
  if (list.length === 0 || odd !== undefined)
    throw new TensorError(
      "OPERANDS",
      `${name} takes parameters, as model.parameters() gives them, but got ${odd === undefined ? worded(parameters) : worded(odd)}.`,
    );
  return list;
}

/**
 * All elements of parameters one after the other, as one vector, through which gradients go. Throws TensorError.
 * @example
 * nn.utils.parametersToVector([ones([2, 2]), zeros([1])]); // → tensor([1, 1, 1, 1, 0], shape [5], float32, cpu)
 */
export function parametersToVector(parameters: Iterable<Tensor>): Tensor {
  const list = listOf("parametersToVector", parameters);
  return cat(list.map((each) => each.reshape([-1])) as Tensor[]) as Tensor;
}

/**
 * Writes the elements of a vector into parameters one after the other, without a gradient. Throws TensorError for a
 * vector of another length.
 * @example
 * const layer = new nn.Linear(2, 1);
 * nn.utils.vectorToParameters(tensor([1, 2, 3]), layer.parameters());
 * layer.weight.detach(); // → tensor([[1, 2]], shape [1, 2], float32, cpu)
 */
export function vectorToParameters(vector: Tensor, parameters: Iterable<Tensor>): void {
  const list = listOf("vectorToParameters", parameters);
  const size = list.reduce((sum, each) => sum + each.size, 0);
  if (!(vector instanceof Tensor) || vector.shape.length !== 1 || vector.size !== size)
    throw new TensorError(
      "SHAPE",
      `vectorToParameters takes a vector of ${size} elements for these parameters but got ${vector instanceof Tensor ? formatShape(vector.shape) : worded(vector)}.`,
    );
  noGrad(() => {
    let at = 0;
    for (const each of list) {
      each.copy_(
        vector
          .slice([at, at + each.size])
          .reshape(each.shape)
          .to(each.device),
      );
      at += each.size;
    }
  });
}
