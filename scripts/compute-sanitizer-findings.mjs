// Reads what compute-sanitizer writes: turns its log into findings, each with the kernel that it is about.

const prefix = "=========";
// What a finding is told by, and where its kernel stands.
const kernelIn = [
  / (?:at|between (?:Write|Read) access at) (?<kernel>.+?)(?:\+0x[0-9a-f]+|:0x[0-9a-f]+| in \S+:\d+)/,
  / at (?<kernel>\S.*)$/,
];
/** Lines that open no finding: headings, sums, and what the tool says of the process, which tests kill. */
const remarks =
  /^(?:COMPUTE-SANITIZER|(?:ERROR|RACECHECK|LEAK) SUMMARY: 0\b|(?:ERROR|RACECHECK|LEAK) SUMMARY|Target application |Error: (?:process didn't terminate|Target application terminated)|Tracking kernels launched|$)/;

/** The findings of a log, whose lines are those of the tool without what stands before them. */
export function findingsOf(log) {
  const findings = [];
  let current = null;
  for (const line of log.split("\n")) {
    if (!line.startsWith(prefix)) continue;
    const text = line.slice(prefix.length);
    const isMore = /^ {3,}\S/.test(text);
    if (isMore) {
      current?.text.push(text.trim());
      continue;
    }
    current = null;
    if (remarks.test(text.trim())) continue;
    current = { text: [text.trim()] };
    findings.push(current);
  }
  return findings.map(({ text }) => ({ text, kernel: kernelOf(text) }));
}

/** The outermost function of the device: the kernel itself, where what was called in it is told, too. */
function kernelOf(lines) {
  const frames = lines.filter((line) => /^Device Frame: ?/.test(line));
  const outermost = frames.at(-1)?.replace(/^Device Frame: ?/, " at ");
  for (const line of [outermost, ...lines].filter((each) => each !== undefined)) {
    for (const pattern of kernelIn) {
      const kernel = pattern.exec(line.startsWith("at ") ? ` ${line}` : line)?.groups?.kernel;
      if (kernel !== undefined) return kernel;
    }
  }
  return "no kernel";
}

/** Findings by kernel, those with the most first. */
export function byKernel(findings) {
  const table = new Map();
  for (const finding of findings) table.set(finding.kernel, [...(table.get(finding.kernel) ?? []), finding]);
  return new Map([...table].sort((a, b) => b[1].length - a[1].length));
}
