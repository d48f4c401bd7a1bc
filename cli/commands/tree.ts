import { NodeNaming } from '../../shared/bridge/node-ids.ts'
import { getLimit } from '../../shared/bridge/host-limits.ts'
import { defineCommand, type CommandContext, type CommandExit } from '../base/command.ts'
import { outputFormatFlag, createUsageError, type CommandOptions, type Flag } from '../base/flags.ts'
import {
  createEntryPrinter,
  chooseOutputFormat,
  getTextAt,
  getTitleAt,
  type EntryLayout,
} from '../output/entry-printer.ts'
import { readTreePages } from '../output/tree-pages.ts'

/** Computes a card's depth from that of its parent, because hosts need not send it. */
class DepthTracker {
  readonly #depths = new Map<string, number>()
  /** Number of cards that came before their parent. */
  orphanCount = 0
  /** The study set, which a host may name as the parent of a root, and the root of the sub-map. */
  readonly #topIds: ReadonlySet<string>

  constructor(topicid: string, subMap = '') {
    this.#topIds = new Set(['', topicid, subMap])
  }

  addCard(noteid: string, parent: string): number {
    const isRoot = this.#topIds.has(parent) || this.#topIds.has(noteid)
    const parentDepth = this.#depths.get(parent) ?? (isRoot ? -1 : undefined)
    if (parentDepth === undefined) this.orphanCount += 1
    const depth = (parentDepth ?? -1) + 1
    this.#depths.set(noteid, depth)
    return depth
  }
}

function createLayout(depths: DepthTracker, naming: NodeNaming): EntryLayout {
  const names = ['noteid', 'parent', 'depth', 'childCount', 'title', 'subMapId', 'docPage', 'docBookmd5']
  return {
    columns: names.map((name) => [name, name] as const),
    toRows: (node) => naming.nameNodes([node]) ?? [],
    formatText: (node, { style }) => {
      const id = getTextAt(node, 'noteid')
      const indent = '  '.repeat(Math.min(60, depths.addCard(id, getTextAt(node, 'parent'))))
      return `${indent}${getTitleAt(node, 'title', style)}${style.dim(id)}`
    },
  }
}

async function run(
  { io, openSession }: CommandContext,
  [topicid = '']: readonly string[],
  options: TreeOptions,
): Promise<CommandExit> {
  const limit = options.pageSize === undefined ? undefined : Number(options.pageSize)
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1)) {
    throw createUsageError('--page-size takes a whole number from 1.')
  }
  const session = await openSession({ host: options })
  const { min, max } = getLimit(await session.call('bridge.limits', {}), 'studySets.tree', 'limit')
  if (limit !== undefined && (limit < (min ?? 1) || limit > (max ?? limit))) {
    throw createUsageError(
      `--page-size takes a whole number from ${min ?? 1} to ${max}, which is what this host allows.`,
    )
  }
  const naming = new NodeNaming()
  const depthTracker = new DepthTracker(topicid, options.subMap)
  const printer = createEntryPrinter(
    io,
    chooseOutputFormat(io, options.format, options.json),
    createLayout(depthTracker, naming),
  )
  const sort = options.sort
  let count = 0
  let reportedTotal: number | null = null
  let problemCount = 0
  let isPartial = false
  let isSorted = sort === undefined
  for await (const page of readTreePages(session, { topicid, root: options.subMap, sort, limit }, naming)) {
    await printer.printEntries(page.entries)
    count += page.entries.length
    problemCount += page.problemCount
    isSorted ||= page.sort === sort
    isPartial ||= page.isWalkLimited || page.isCutOff
    reportedTotal = page.total ?? reportedTotal
    const total = page.total === null ? '' : ` of ${page.total.toLocaleString('en')}`
    io.showProgress(`${count.toLocaleString('en')}${total} cards`)
  }
  await printer.printEnd()
  io.showProgress(null)
  if (problemCount > 0) io.printNote(`Not as the contract has it: ${problemCount} places in the answers.`)
  if (depthTracker.orphanCount > 0)
    io.printNote(`Shown at the top, because their parent did not come before them: ${depthTracker.orphanCount} cards.`)
  if (!isSorted) io.printNote('The host does not say that the cards are in document order: it may have ignored --sort.')
  if (!isPartial && reportedTotal !== null && count < reportedTotal)
    io.printNote(`The host says ${reportedTotal} cards, and listed ${count}.`)
  if (isPartial) io.printStderr('LIST_TRUNCATED: The host did not list every card.')
  return isPartial ? 'partial' : 'ok'
}

const flags = [
  outputFormatFlag,
  { name: 'sub-map', valueName: 'ID', completionKind: 'notes', description: 'only the sub-map with this root card' },
  {
    name: 'sort',
    valueName: 'ORDER',
    choices: ['document'],
    description: 'in the order of the documents, with page and document of each card',
  },
  {
    name: 'page-size',
    valueName: 'N',
    description:
      'cards in one answer of the host, at most 5000 or what its capabilities allow (default: the setting, 5000)',
  },
] as const satisfies readonly Flag[]
type TreeOptions = CommandOptions<typeof flags>

export const treeCommand = defineCommand({
  name: 'tree',
  summary: 'List the cards of a study set, in the order of the mind map',
  description: [
    'Cards are printed as they arrive, page by page, so the memory needed does not grow with their number. ndjson is one card a line, byte for byte as the host sent it (white space between tokens is left out only if it would break the line); json is the same as one array.',
    'The contract does not name the member that holds the id of a card: csv and text find it by what it means. Where there is none, the response is printed as sent, with exit code 10.',
    'text shows titles by depth, for which the depth of each card is kept.',
  ],
  args: [{ name: 'topic', required: true, completionKind: 'topics', description: 'id of the study set' }],
  flags,
  examples: [
    { commandLine: 'study-sets --demo', description: 'the ids of study sets' },
    { commandLine: 'tree TOPIC --profile work | jq -r .title', description: 'the title of every card' },
    { commandLine: 'tree TOPIC --profile work --format csv > cards.csv', description: 'a table for a spreadsheet' },
  ],
  hasHostFlags: true,
  run,
})
