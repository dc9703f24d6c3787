// What a worker thread of the library imports first: there, too, the user's modules may be TypeScript.
import { register } from "node:module";

register("./source-hooks.js", import.meta.url);
