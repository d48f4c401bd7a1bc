import { createHash } from 'node:crypto'
import { getTree, type DemoState, type RouteTable } from '../state/context.ts'
import { recordExportedFile } from './toc.ts'
import type { TreeSource } from '../library/tree-source.ts'
import { createParameterError, DemoError, createJsonReply, createNoteNotFoundError } from '../state/reply.ts'

const SCHEMA = 'mn.mindMapPrintPlan.v0'
/** From this density on, a plan puts the whole map on one page, which is cut into slices. */
const MIN_CLASSIC_DENSITY = 0.995
/** The maximum number of cards in a plan; the generated study set has more. */
const MAX_PLANNED_CARDS = 5_000

interface PlannedPage {
  readonly kind: 'branchOverview' | 'mergedSiblingBranches' | 'singleCard'
  readonly visibleDepth: number
  readonly visibleNoteIds: readonly string[]
  readonly sliceIndex: number
  readonly sliceCount: number
}

/** Routes that print a mind map (observed §3): a plan of pages, and the PDF of that plan. */
export const printRoutes = {
  'studySets.printPreview'(state, { params, body }) {
    const topicid = params['topicid'] ?? ''
    const density = body['densityValue'] === undefined ? 0.5 : Number(body['densityValue'])
    const mode = String(body['mode'])
    const root = typeof body['rootNoteId'] === 'string' ? body['rootNoteId'] : null
    const { pages, cut: isTruncated } = planPages(getTree(state, topicid), mode, density, root)
    const plan = {
      schema: SCHEMA,
      topicid,
      mode,
      densityValue: density,
      rootNoteId: root,
      pageCountEstimate: pages.length,
      pages,
      exportOptions: { paper: 'A4', orientation: mode === 'cardFlow' ? 'portrait' : 'landscape' },
      warnings: isTruncated ? [`Only the first ${MAX_PLANNED_CARDS} cards are planned.`] : [],
    }
    return createJsonReply({ ...plan, planFingerprint: computeFingerprint(plan) })
  },

  'studySets.printExport'(state, { params, body }) {
    const submittedPlan = body['plan'] as Readonly<Record<string, unknown>>
    // The fingerprint does not cover itself and the version that every response contains.
    const planEntries = Object.entries(submittedPlan).filter(
      ([name]) => name !== 'planFingerprint' && name !== 'bridgeApiVersion',
    )
    const plan: Readonly<Record<string, unknown>> = Object.fromEntries(planEntries)
    const isOurs = plan['schema'] === SCHEMA && submittedPlan['planFingerprint'] === computeFingerprint(plan)
    if (!isOurs || plan['topicid'] !== params['topicid']) {
      throw new DemoError(
        422,
        'PLAN_INVALID',
        'The plan does not come from a preview of this study set, or was changed.',
      )
    }
    const pages = plan['pages'] as readonly PlannedPage[]
    const name = typeof body['fileName'] === 'string' ? body['fileName'] : getTitle(state, params['topicid'])
    return createJsonReply({
      persisted: true,
      pageCount: pages.length,
      ...recordExportedFile(state, 'MindMapExports', name),
    })
  },
} satisfies RouteTable

const computeFingerprint = (plan: object): string =>
  createHash('sha256').update(JSON.stringify(plan)).digest('hex').slice(0, 24)

function getTitle(state: DemoState, topicid: string | undefined): string {
  return state.library.sets.find((set) => set.topicid === topicid)?.title ?? state.generatedSet.title
}

function planPages(tree: TreeSource, mode: string, density: number, root: string | null) {
  const from = root === null ? 0 : tree.findIndex(root)
  if (from < 0) throw createNoteNotFoundError(root ?? '')
  const end = root === null ? tree.count : tree.getSubtreeEnd(from)
  const to = Math.min(end, from + MAX_PLANNED_CARDS)
  if (!(density >= 0 && density <= 1)) throw createParameterError('densityValue', 'must be in 0..1.')
  const ids = Array.from({ length: to - from }, (_, index) => tree.getNoteid(from + index))
  const depth = Math.max(0, ...ids.map((_, index) => tree.getDepth(from + index) - tree.getDepth(from)))
  const isTruncated = to < end
  if (mode === 'cardFlow')
    return { cut: isTruncated, pages: splitChunks(ids, 1).map((chunk) => createPage('singleCard', 0, chunk)) }
  if (mode === 'classic' || density >= MIN_CLASSIC_DENSITY) {
    const count = Math.max(1, Math.ceil(ids.length / 120))
    return {
      cut: isTruncated,
      pages: splitChunks(ids, 120).map((chunk, index) => createPage('branchOverview', depth, chunk, index, count)),
    }
  }
  const overview = ids.filter((_, index) => tree.getDepth(from + index) - tree.getDepth(from) <= 1)
  const below = ids.filter((_, index) => tree.getDepth(from + index) - tree.getDepth(from) > 1)
  const groups = splitChunks(below, Math.round(4 + density * 28))
  return {
    cut: isTruncated,
    pages: [
      createPage('branchOverview', 1, overview),
      ...groups.map((chunk) => createPage('mergedSiblingBranches', depth, chunk)),
    ],
  }
}

const createPage = (
  kind: PlannedPage['kind'],
  visibleDepth: number,
  visibleNoteIds: readonly string[],
  sliceIndex = 0,
  sliceCount = 1,
): PlannedPage => ({ kind, visibleDepth, visibleNoteIds, sliceIndex, sliceCount })

const splitChunks = (ids: readonly string[], size: number): string[][] =>
  Array.from({ length: Math.ceil(ids.length / size) }, (_, index) => ids.slice(index * size, (index + 1) * size))
