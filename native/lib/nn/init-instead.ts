// What PyTorch calls otherwise among first values: each name is an error that says what to write. None is declared: see
// instead.ts of the library.
import { absent } from "../instead.ts";

const named = (name: string, here: string) => absent(`nn.init.${name}`, `nn.init.${here}(…)`);
/** @internal */
export const uniform_ = named("uniform_", "uniform");
/** @internal */
export const normal_ = named("normal_", "normal");
/** @internal */
export const constant_ = named("constant_", "constant");
/** @internal */
export const zeros_ = named("zeros_", "zeros");
/** @internal */
export const ones_ = named("ones_", "ones");
/** @internal */
export const eye_ = named("eye_", "eye");
/** @internal */
export const orthogonal_ = named("orthogonal_", "orthogonal");
/** @internal */
export const xavier_uniform_ = named("xavier_uniform_", "xavierUniform");
/** @internal */
export const xavier_normal_ = named("xavier_normal_", "xavierNormal");
/** @internal */
export const kaiming_uniform_ = named("kaiming_uniform_", "kaimingUniform");
/** @internal */
export const kaiming_normal_ = named("kaiming_normal_", "kaimingNormal");
/** @internal */
export const xavierUniform_ = named("xavierUniform_", "xavierUniform");
/** @internal */
export const xavierNormal_ = named("xavierNormal_", "xavierNormal");
/** @internal */
export const kaimingUniform_ = named("kaimingUniform_", "kaimingUniform");
/** @internal */
export const kaimingNormal_ = named("kaimingNormal_", "kaimingNormal");
