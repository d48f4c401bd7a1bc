import { dialectTraits } from './dialects/index.ts'
import { driftVersions } from './drift/drift-list.ts'
import { faultDescriptions } from './faults.ts'

/** Used by the completion and documentation of flags. */
export const demoDialectNames: readonly string[] = Object.keys(dialectTraits)
export const demoFaultDescriptions: Readonly<Record<string, string>> = faultDescriptions
export const demoDriftVersions: readonly string[] = driftVersions

/** The output of the demo host's program for `--help`. */
export const demoUsage = `A simulated bridge host on loopback, for plugin developers without a host at hand.

  npm run demo-host -- [flags]
  --port N           default 42340
  --token-file PATH  file with the token; without it, one is generated and written to a new file, whose path is printed
  --from FILE        serves what was recorded (.birec) in place of the simulated library; flags about the library do not apply
  --recorded-delays  with --from, each response takes as long as it took when it was recorded
  --library FILE     serves the study sets of a JSON file; what is wrong in it is named, as in studySets[0].cards[3].color
  --library-schema   prints the JSON Schema of such a file, and ends
  --nodes N          number of cards in the generated study set, 1 to 1000000 (default 200000, with --library none)
  --seed S           generates another library (default 20260)
  --latency MS       delay before each answer
  --pairing-code N   six digits that POST /pair accepts once
  --user-edits SECONDS   how often its user edits a card of the open study set, which no request tells (default never)
  --dialect NAME     how it answers where the documents leave room: ${Object.keys(dialectTraits).join(', ')} (default 0.91)
  --drift-version V  the version that it has with --fault drift: ${driftVersions.join(', ')} (default the newest)
  --allow-fault-header   lets a request choose its own fault with the header x-demo-fault
  --fault NAME       misbehaves on purpose:
${Object.entries(faultDescriptions)
  .map(([name, description]) => `       ${name.padEnd(20)} ${description}`)
  .join('\n')}`
