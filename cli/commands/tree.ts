import { z } from 'zod'
import { limitOf } from '../../shared/bridge/host-limits.ts'
import { command, type Context, type Ending } from '../base/command.ts'
import { formatFlag, formatOptions, optionsOf, usageError } from '../base/flags.ts'
import { createPrinter, formatFor, textAt, type Shown } from '../output/printer.ts'
import { treePages } from '../output/tree-pages.ts'

/** The depth of each card that was printed: hosts need not say it. */
class Depths {
  readonly #known = new Map<string, number>()
  /** Cards whose parent had not come before them. */
  lost = 0

  of(noteid: string, parent: string): number {
    const above = parent === '' ? -1 : this.#known.get(parent)
    if (above === undefined) this.lost += 1
    const depth = (above ?? -1) + 1
    this.#known.set(noteid, depth)
    return depth
  }
}

function shownWith(depths: Depths): Shown {
  const plain = ['noteid', 'parent', 'depth', 'childCount', 'title', 'subMapId', 'docPage', 'docBookmd5']
  return {
    columns: plain.map((name) => [name, name] as const),
    text: (node, { style }) => {
      const id = textAt(node, 'noteid')
      const indent = '  '.repeat(Math.min(60, depths.of(id, textAt(node, 'parent'))))
      return `${indent}${textAt(node, 'title') || style.dim('untitled')}  ${style.dim(id)}`
    },
  }
}

async function run({ io, open }: Context, [topicid = '']: readonly string[], options: TreeOptions): Promise<Ending> {
  const limit = options.pageSize === undefined ? undefined : Number(options.pageSize)
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1)) {
    throw usageError('--page-size takes a whole number from 1.')
  }
  const session = await open({ host: options })
  const { min, max } = limitOf(await session.call('bridge.limits', {}), 'studySets.tree', 'limit')
  if (limit !== undefined && (limit < (min ?? 1) || limit > (max ?? limit))) {
    throw usageError(`--page-size takes a whole number from ${min ?? 1} to ${max}, which is what this host allows.`)
  }
  const depths = new Depths()
  const printer = createPrinter(io, formatFor(io, options.format, options.json), shownWith(depths))
  const sort = options.sort
  let count = 0
  let problems = 0
  let partial = false
  let isSorted = sort === undefined
  for await (const page of treePages(session, { topicid, root: options.subMap, sort, limit })) {
    await printer.print(page.entries)
    count += page.entries.length
    problems += page.problems
    isSorted ||= page.sort === sort
    partial ||= page.limited || page.cut
    const total = page.total === null ? '' : ` of ${page.total.toLocaleString('en')}`
    io.progress(`${count.toLocaleString('en')}${total} cards`)
  }
  await printer.end()
  io.progress(null)
  if (problems > 0) io.remark(`Not as the contract has it: ${problems} places in the answers.`)
  if (depths.lost > 0)
    io.remark(`Shown at the top, because their parent did not come before them: ${depths.lost} cards.`)
  if (!isSorted) io.remark('The host does not say that the cards are in document order: it may have ignored --sort.')
  if (partial) io.complain('LIST_TRUNCATED: The host did not list every card.')
  return partial ? 'partial' : 'ok'
}

const options = optionsOf({
  ...formatOptions,
  subMap: z.string().optional(),
  sort: z.enum(['document']).optional(),
  pageSize: z.string().optional(),
})
type TreeOptions = z.infer<typeof options>

/** `tree TOPIC`: the cards of a study set, page by page. */
export const treeCommand = command({
  name: 'tree',
  summary: 'List the cards of a study set, in the order of the mind map',
  about: [
    'Cards are printed as they arrive, page by page, so the memory needed does not grow with their number. ndjson is one card a line, byte for byte as the host sent it (white space between tokens is left out only if it would break the line); json is the same as one array.',
    'text shows titles by depth, for which the depth of each card is kept.',
  ],
  args: [{ name: 'topic', required: true, completes: 'topics', about: 'id of the study set' }],
  flags: [
    formatFlag,
    { name: 'sub-map', value: 'ID', completes: 'notes', about: 'only the sub-map with this root card' },
    {
      name: 'sort',
      value: 'ORDER',
      choices: ['document'],
      about: 'in the order of the documents, with page and document of each card',
    },
    {
      name: 'page-size',
      value: 'N',
      about:
        'cards in one answer of the host, at most 5000 or what its capabilities allow (default: the setting, 5000)',
    },
  ],
  examples: [
    { line: 'study-sets --demo', about: 'the ids of study sets' },
    { line: 'tree TOPIC --profile work | jq -r .title', about: 'the title of every card' },
    { line: 'tree TOPIC --profile work --format csv > cards.csv', about: 'a table for a spreadsheet' },
  ],
  host: true,
  options,
  run,
})
