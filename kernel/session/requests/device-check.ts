// Checks devices by name, in a process of its own: exits with 0 when each works here, else with 1 after a sentence for
// each that does not.
import { devices } from "warpcell";

const reports = devices();
let status = 0;
for (const name of process.argv.slice(2)) {
  const reason = reports.find(({ device }) => device === name)?.reason;
  if (reason === null) continue;
  process.stderr.write(
    `warpcell: ${reason ?? `There is no device "${name}" here: a device is named cpu or cuda:0.`}\n`,
  );
  status = 1;
}
// The device processes would keep this one alive.
process.exit(status);
