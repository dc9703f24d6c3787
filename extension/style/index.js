/* What the builder packs as the extension's style module. */
import "./index.css";
