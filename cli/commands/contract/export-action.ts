import { readFileSync } from 'node:fs'
import { exportSchemas } from '../../../electron/core/contract/schema-export.ts'
import { createUsageError, dataDirFlags, outputFileFlags } from '../../base/flags.ts'
import { assertOutputWritable, withOutput } from '../../base/output-file.ts'
import { exportFlags, type ContractAction } from './contract-action.ts'
import { parseSide, readRecorded, SIDE_DESCRIPTION } from './schema-sides.ts'

export const exportAction: ContractAction = {
  name: 'export',
  description: `export [SIDE] writes every route: parameters, body, response, errors and their codes. dts: TypeScript declarations; with them, host.api<"GET /study-sets/{topicid}/note-palette"> is checked. openapi: OpenAPI 3.1. json-schema: JSON Schema 2020-12, which contract diff reads. markdown: for people. ${SIDE_DESCRIPTION} Without a side, dts is the contract, which the npm package has as bridge-inspector/bridge, and every other format is combined. What nobody has shown is left open. Of what was recorded, no values are written but the words of an enumeration.`,
  flags: [...exportFlags, ...dataDirFlags, ...outputFileFlags],
  examples: [
    { commandLine: 'contract export --format dts -o bridge.d.ts', description: 'beside the code of a panel' },
    {
      commandLine: 'contract export --format openapi -o bridge.json',
      description: 'the contract as the host speaks it',
    },
  ],
  async run(context, [sideName, ...others], exportOptions) {
    if (others.length > 0) throw createUsageError('contract export takes one side.')
    assertOutputWritable(exportOptions)
    const { format = 'dts', examples } = exportOptions
    const side = parseSide(sideName ?? (format === 'dts' ? 'contract' : 'combined'))
    if (side.kind === 'file') throw createUsageError('contract export takes contract, recorded or combined.')
    const declarations = readFileSync(new URL('bridge.d.ts', context.resources), 'utf8')
    const recorded = await readRecorded(side, context, exportOptions)
    const { text } = exportSchemas({ format, side, recorded, hasExamples: examples === true, declarations })
    await withOutput(context.io, exportOptions, (print) => print(text))
    return 'ok'
  },
}
