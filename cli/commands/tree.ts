import { NodeIdNormalizer } from '../../shared/bridge/node-ids.ts'
import { getLimit } from '../../shared/bridge/host-limits.ts'
import { defineCommand, type CommandContext, type CommandExit } from '../base/command.ts'
import { outputFormatFlag, createUsageError, type CommandOptions, type Flag } from '../base/flags.ts'
import {
  createEntryPrinter,
  chooseOutputFormat,
  getTextAt,
  getTitleAt,
  toColumns,
  type EntryLayout,
} from '../output/entry-printer.ts'
import { CursorTrail, getNextCursor, withCursor } from '../../shared/bridge/listing-cursor.ts'
import { AppError } from '../../shared/errors.ts'
import { getMember } from '../../shared/json/object.ts'
import type { ConnectedSession } from '../base/session.ts'
import { parseJson, readResponseList, type JsonEntry } from '../output/response-list.ts'

interface TreePage {
  readonly entries: readonly JsonEntry[]
  /** Number of cards according to the host. */
  readonly total: number | null
  readonly problemCount: number
  /** The host stopped counting: even the last page is not the end (spec §2 `walkLimitReached`). */
  readonly isWalkLimited: boolean
  /** The last page has no cursor although it says that there are more cards. */
  readonly isCutOff: boolean
  /** The order that the host reports, only if an order was requested (spec §2). */
  readonly sort: string | null
}

interface TreeRequest {
  readonly topicid: string
  /** The root card of the sub-map at which the listing starts. */
  readonly root?: string | undefined
  readonly sort?: 'document' | undefined
  readonly limit?: number | undefined
}

/**
 * Keeps one page in memory while the next page is requested (spec §4).
 * @param naming learns from the first page which member of the nodes holds their ids
 * @throws SHAPE_UNKNOWN when no member is known to hold them; LISTING_ENDLESS when the host's
 *   cursors form a circle or the host sends only empty pages; and the errors of a read
 */
async function* readTreePages(
  { call }: ConnectedSession,
  { topicid, root, sort, limit }: TreeRequest,
  naming: NodeIdNormalizer,
): AsyncGenerator<TreePage> {
  const { treePageSize, treeEmptyPages } = await call('settings.get', {})
  const { max } = getLimit(await call('bridge.limits', {}), 'studySets.tree', 'limit')
  const query = {
    limit: limit ?? Math.min(treePageSize, max ?? treePageSize),
    ...(root === undefined ? {} : { root }),
    ...(sort === undefined ? {} : { sort }),
  }
  const trail = new CursorTrail(null)
  let emptyPages = 0
  let cursor: string | null = null
  do {
    const { bytes } = await call('bridge.read', {
      endpoint: 'studySets.tree',
      params: { topicid },
      query: withCursor(query, cursor),
      readAhead: true,
    })
    const page = new Uint8Array(bytes)
    const { entries, value, problemCount, isTruncated } = readResponseList(
      'studySets.tree',
      page,
      naming.namePage(parseJson(page)),
    )
    const total = getMember(value, 'nodeTotal')
    emptyPages = entries.length === 0 ? emptyPages + 1 : 0
    cursor = getNextCursor(value)
    const step = trail.follow(cursor)
    if (step === 'looped' || (step === 'next' && emptyPages > treeEmptyPages)) throw createEndlessError()
    yield {
      entries,
      // The host counts the whole tree (spec §2), which says nothing about one sub-map.
      total: typeof total === 'number' && root === undefined ? total : null,
      problemCount,
      isWalkLimited: getMember(value, 'walkLimitReached') === true,
      isCutOff: isTruncated && cursor === null,
      sort: toTextOrNull(getMember(value, 'sort')),
    }
  } while (cursor !== null)
}

const toTextOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const createEndlessError = (): AppError =>
  new AppError({
    kind: 'malformed',
    code: 'LISTING_ENDLESS',
    message: 'The host’s listing does not end: it leads back to a page that was read, or sends only empty ones.',
    retryable: false,
  })

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

function createLayout(depths: DepthTracker, naming: NodeIdNormalizer): EntryLayout {
  return {
    columns: toColumns('noteid', 'parent', 'depth', 'childCount', 'title', 'subMapId', 'docPage', 'docBookmd5'),
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
  const naming = new NodeIdNormalizer()
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
