import { readFileSync } from 'node:fs'
import { assertOutputWritable, withOutput } from '../../base/output-file.ts'
import { contractOptions, outputFileFlags, type ContractAction } from './contract-action.ts'

export const exportAction: ContractAction = {
  name: 'export',
  description:
    'export writes what the contract says, without a host. dts: TypeScript declarations of every route: parameters, body, response and error codes. With them, host.api<"GET /study-sets/{topicid}/note-palette"> is checked. What the contract does not show is unknown. The npm package has the same file as bridge-inspector/bridge.',
  flags: [
    {
      name: 'format',
      valueName: 'FORMAT',
      choices: contractOptions.shape.format.unwrap().options,
      description: 'what is written (default dts)',
    },
    ...outputFileFlags,
  ],
  examples: [{ commandLine: 'contract export --format dts -o bridge.d.ts', description: 'beside the code of a panel' }],
  async run({ io, resources }, _args, exportOptions) {
    assertOutputWritable(exportOptions)
    const types = readFileSync(new URL('bridge.d.ts', resources), 'utf8')
    await withOutput(io, exportOptions, (print) => print(types))
    return 'ok'
  },
}
