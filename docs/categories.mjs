// Sorts the names of the reference by what they are about, which the folder and file of their declaration say: a plugin
// of TypeDoc.
import { Comment, CommentTag, Converter, ReflectionKind } from "typedoc";

/** The first row that matches counts. */
const categories = [
  [/tensor\/(tensor|print|display)|memory\/array/, "Reading and moving"],
  [/tensor\/(create|joining|spacing|windows)/, "Making tensors"],
  [/tensor\/random/, "Random numbers"],
  [/tensor\/(functions|elementwise|pairwise|angles|mixing)/, "Elementwise"],
  [/tensor\/in-place/, "In place"],
  [/tensor\/(activations|normalization|embedding)\b/, "Activations and normalisation"],
  [/tensor\/(reductions|nan-reductions|covariance|membership)/, "Sums and statistics"],
  [/tensor\/(scans|differences|sorting|unique|interpolation)/, "Along an axis"],
  [/tensor\/(shaping|turning|stacking|triangles|broadcasting|unfold|padding)/, "Shape"],
  [/tensor\/(indexing|masks|selecting|along-axis|index-entries)/, "Indexing"],
  [/tensor\/(products|linear|einsum|distances|convolution)/, "Linear algebra"],
  [/tensor\/(losses|class-losses|likelihoods|embedding-losses|loss-reduction)/, "Losses"],
  [/tensor\/(closeness|assert-close)/, "Comparison"],
  [/tensor\/(check|layout|arguments)/, "Checks"],
  [/memory\/(dtype|promotion)|tensor\/dtype-facts/, "Dtypes"],
  [/autograd\/tidy|memory\/|device\/|wire\//, "Devices and memory"],
  [/autograd\//, "Gradients"],
  [/fuse\//, "Fusing"],
  [/graph\//, "Graphs"],
  [/cuda\//, "Kernels"],
  [/profile\//, "Profiles"],
  [/exercise\//, "Exercises"],
  [/errors/, "Errors"],
];

export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    // Beside documents the package is a module, named after its file.
    for (const module of project.getReflectionsByKind(ReflectionKind.Module))
      if (module.name === "index") module.name = "warpcell";
    for (const reflection of project.getReflectionsByKind(ReflectionKind.All)) {
      const file = project.getSymbolIdFromReflection(reflection)?.packagePath ?? "";
      const [, category] = categories.find(([pattern]) => pattern.test(file)) ?? [];
      if (category === undefined || reflection.parent?.kind === ReflectionKind.Signature) continue;
      for (const each of reflection.signatures ?? [reflection]) {
        each.comment ??= new Comment();
        each.comment.blockTags.push(new CommentTag("@category", [{ kind: "text", text: category }]));
      }
    }
  });
}
