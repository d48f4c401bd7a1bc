import { writeDifferencesMarkdown } from '../../../shared/contract/markdown-writer.ts'
import type { SchemaDifference } from '../../../shared/contract/schema-difference.ts'
import { compareBundles } from '../../../electron/core/contract/schema-comparison.ts'
import { isSingleSchema } from '../../../electron/core/contract/schema-file.ts'
import { createUsageError, dataDirFlags, outputFileFlags } from '../../base/flags.ts'
import { toSingleLine } from '../../base/io.ts'
import { assertOutputWritable, withOutput } from '../../base/output-file.ts'
import { reportFlags, type ContractAction } from './contract-action.ts'
import { parseSide, readSideBundle, SIDE_DESCRIPTION } from './schema-sides.ts'

export const diffAction: ContractAction = {
  name: 'diff',
  description: `diff A B lists what a caller of A has to know before it calls B, the breaking differences first. ${SIDE_DESCRIPTION} A side may also be a JSON Schema file of 2020-12: what contract export --format json-schema wrote, or any other, which is compared as one response. A file with a keyword that is not understood is refused.`,
  flags: [...reportFlags, ...dataDirFlags, ...outputFileFlags],
  examples: [
    { commandLine: 'contract diff contract recorded', description: 'what this host does differently' },
    { commandLine: 'contract diff recorded@0.90 recorded@0.91 --fail', description: 'after an update of the host' },
  ],
  async run(context, args, diffOptions) {
    const [first, second, ...others] = args
    if (first === undefined || second === undefined || others.length > 0)
      throw createUsageError('contract diff takes two sides: contract diff contract recorded.')
    assertOutputWritable(diffOptions)
    const { json, markdown, fail } = diffOptions
    const before = await readSideBundle(parseSide(first), context, diffOptions)
    const after = await readSideBundle(parseSide(second), context, diffOptions)
    if (isSingleSchema(before) !== isSingleSchema(after))
      throw createUsageError('A single schema is compared with another single schema only.')
    const differences = compareBundles(before, after)
    const titles = [before.title, after.title]
    await withOutput(context.io, diffOptions, async (print) => {
      if (json) await print(`${JSON.stringify({ before: titles[0], after: titles[1], differences }, null, 2)}\n`)
      else if (markdown) await print(writeDifferencesMarkdown(differences, titles))
      else for (const difference of differences) await print(`${formatDifference(difference)}\n`)
    })
    const breakingCount = differences.filter(({ isBreaking }) => isBreaking).length
    context.io.printNote(`${differences.length} differences, ${breakingCount} of them breaking.`)
    // Nothing was compared then, which must not look like a success.
    const isEmpty = before.routes.length === 0 || after.routes.length === 0
    return fail && (breakingCount > 0 || isEmpty) ? 'unmet' : 'ok'
  },
}

function formatDifference(difference: SchemaDifference): string {
  const { isBreaking, method, template, part, pointer, variant, rule, before, after, consequence } = difference
  const place = `${method} ${template} ${part}${pointer === '' ? '' : ` ${pointer}`}${variant === null ? '' : ` (${variant})`}`
  const change = [before, after].some((text) => text !== '') ? ` ${before || 'nothing'} → ${after || 'nothing'}` : ''
  return toSingleLine(`${isBreaking ? 'breaking' : 'harmless'} ${place}: ${rule}${change} [${consequence}]`)
}
