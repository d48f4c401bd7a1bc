import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { format } from 'prettier'
import { root } from '../../scripts/lib/paths.mjs'
import { contractVerdicts } from './contract-verdict.ts'
import type { StationResult } from './run.ts'

/** Where the counts of the last whole run are. */
export const REPORT = path.join(root, 'test', 'mutation', 'README.md')

const sumOver = (results: readonly StationResult[], countOf: (result: StationResult) => number): number =>
  results.reduce((total, result) => total + countOf(result), 0)

/** The counts of a run on one line. */
export function formatSummary(results: readonly StationResult[], seconds: number): string {
  const cases = sumOver(results, (result) => result.cases)
  return (
    `Mutation: ${results.length} views of places, ${sumOver(results, (result) => result.responses)} responses, ` +
    `${sumOver(results, (result) => result.members)} members, ${cases} cases ` +
    `(${sumOver(results, (result) => result.unreachedCount)} not reached), ${sumOver(results, (result) => result.failures.length)} failures, ${Math.round(seconds)} s`
  )
}

/** What the judge of the contract says about all changes, on one line. */
export function formatContractCounts(results: readonly StationResult[]): string {
  const counts = contractVerdicts.map((verdict) => sumOver(results, ({ contractCounts }) => contractCounts[verdict]))
  const total = counts.reduce((sum, count) => sum + count, 0)
  return `Contract: ${total} changes judged: ${contractVerdicts.map((verdict, index) => `${counts[index]} ${verdict}`).join(', ')}`
}

/**
 * Writes the counts of a whole run into `test/mutation/README.md`, with the changes that break the
 * contract and are reported by no view.
 */
export async function writeReport(
  results: readonly StationResult[],
  seconds: number,
  unreportedChanges: readonly string[],
): Promise<void> {
  const rows = [...results].sort((result, other) => result.station.localeCompare(other.station))
  const text = `# Mutation run

\`npm run test:mutation\` changes one member of one response of the demo host at a time, between the host and the program, and goes to the
place that reads it. The members are those of the responses as they were recorded, so none is left out: each is made null, of another
type, missing, an object or a list in place of a value, empty, very long, negative, a fraction, huge, or "NaN", as far as its type
allows. Each time the place must stand, no error may be uncaught, the service process must log none, another place must be within
reach, and every text of the host that has nothing to do with what was changed must still be there.

\`npm run test:all\` runs a sample of it; \`MUTATION_SEED\` chooses which. Three responses that the shell keeps at hand (the study sets, the decks
and the capabilities) are changed in one view of each place. Written by the last whole run:

${formatSummary(results, seconds)}

Each change is also held against the contract. \`reported\`: it deviates. \`open\`: the contract shows nothing at that place. \`lawful\`: the
contract allows the new value, such as another text, or leaves the member out. \`missed\`: nothing is reported, although the reader of
the page finds a mistake. \`npm run test:mutation -- --each 0\` shows no change to a page, and judges all of them.

${formatContractCounts(results)}

| View | Responses | Members | Cases | Failures |
| --- | ---: | ---: | ---: | ---: |
${rows.map(({ station, responses, members, cases, failures }) => `| ${station} | ${responses} | ${members} | ${cases} | ${failures.length} |`).join('\n')}

Changes that break the contract and that no view reports, although nothing is lost: ${unreportedChanges.length}.

${unreportedChanges.map((change) => `- \`${change}\``).join('\n')}
`
  const pretty = await format(text, { parser: 'markdown', printWidth: 130, proseWrap: 'preserve' })
  writeFileSync(REPORT, pretty)
}
