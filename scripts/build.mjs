// `npm run build`: everything that `npm start` builds, without starting anything.
import { setup } from "./setup.mjs";

await setup().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
