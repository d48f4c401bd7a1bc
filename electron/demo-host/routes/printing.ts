import { createHash } from 'node:crypto'
import { treeOf, type DemoState, type Routes } from '../state/context.ts'
import { exportFile } from './contents.ts'
import type { TreeSource } from '../library/tree-source.ts'
import { badParameter, DemoError, json, noteNotFound } from '../state/reply.ts'

const SCHEMA = 'mn.mindMapPrintPlan.v0'
/** From this density on, a plan is like the classic one: everything on one page, cut into slices. */
const CLASSIC_FROM = 0.995
/** Maximum number of cards in a plan; the generated study set has more. */
const MOST_CARDS = 5_000

interface PlannedPage {
  readonly kind: 'branchOverview' | 'mergedSiblingBranches' | 'singleCard'
  readonly visibleDepth: number
  readonly visibleNoteIds: readonly string[]
  readonly sliceIndex: number
  readonly sliceCount: number
}

/** Printing a mind map (observed §3): a plan of pages, and the PDF made from exactly that plan. */
export const printRoutes = {
  'studySets.printPreview'(state, { params, body }) {
    const topicid = params['topicid'] ?? ''
    const density = body['densityValue'] === undefined ? 0.5 : Number(body['densityValue'])
    const mode = String(body['mode'])
    const root = typeof body['rootNoteId'] === 'string' ? body['rootNoteId'] : null
    const { pages, cut } = planned(treeOf(state, topicid), mode, density, root)
    const plan = {
      schema: SCHEMA,
      topicid,
      mode,
      densityValue: density,
      rootNoteId: root,
      pageCountEstimate: pages.length,
      pages,
      exportOptions: { paper: 'A4', orientation: mode === 'cardFlow' ? 'portrait' : 'landscape' },
      warnings: cut ? [`Only the first ${MOST_CARDS} cards are planned.`] : [],
    }
    return json({ ...plan, planFingerprint: fingerprint(plan) })
  },

  'studySets.printExport'(state, { params, body }) {
    const sent = body['plan'] as Readonly<Record<string, unknown>>
    // The fingerprint covers everything except itself and what every answer carries.
    const own = Object.entries(sent).filter(([name]) => name !== 'planFingerprint' && name !== 'bridgeApiVersion')
    const plan: Readonly<Record<string, unknown>> = Object.fromEntries(own)
    const isOurs = plan['schema'] === SCHEMA && sent['planFingerprint'] === fingerprint(plan)
    if (!isOurs || plan['topicid'] !== params['topicid']) {
      throw new DemoError(
        422,
        'PLAN_INVALID',
        'The plan does not come from a preview of this study set, or was changed.',
      )
    }
    const pages = plan['pages'] as readonly PlannedPage[]
    const name = typeof body['fileName'] === 'string' ? body['fileName'] : titleOf(state, params['topicid'])
    return json({ persisted: true, pageCount: pages.length, ...exportFile(state, 'MindMapExports', name) })
  },
} satisfies Routes

const fingerprint = (plan: object): string =>
  createHash('sha256').update(JSON.stringify(plan)).digest('hex').slice(0, 24)

function titleOf(state: DemoState, topicid: string | undefined): string {
  return state.library.sets.find((set) => set.topicid === topicid)?.title ?? state.generated.title
}

function planned(tree: TreeSource, mode: string, density: number, root: string | null) {
  const from = root === null ? 0 : tree.indexOf(root)
  if (from < 0) throw noteNotFound(root ?? '')
  const end = root === null ? tree.count : tree.subtreeEnd(from)
  const to = Math.min(end, from + MOST_CARDS)
  if (!(density >= 0 && density <= 1)) throw badParameter('densityValue', 'must be in 0..1.')
  const ids = Array.from({ length: to - from }, (_, at) => tree.noteid(from + at))
  const depth = Math.max(0, ...ids.map((_, at) => tree.depth(from + at) - tree.depth(from)))
  const cut = to < end
  if (mode === 'cardFlow') return { cut, pages: chunks(ids, 1).map((one) => page('singleCard', 0, one)) }
  if (mode === 'classic' || density >= CLASSIC_FROM) {
    const count = Math.max(1, Math.ceil(ids.length / 120))
    return { cut, pages: chunks(ids, 120).map((one, at) => page('branchOverview', depth, one, at, count)) }
  }
  const overview = ids.filter((_, at) => tree.depth(from + at) - tree.depth(from) <= 1)
  const below = ids.filter((_, at) => tree.depth(from + at) - tree.depth(from) > 1)
  const groups = chunks(below, Math.round(4 + density * 28))
  return {
    cut,
    pages: [page('branchOverview', 1, overview), ...groups.map((one) => page('mergedSiblingBranches', depth, one))],
  }
}

const page = (
  kind: PlannedPage['kind'],
  visibleDepth: number,
  visibleNoteIds: readonly string[],
  sliceIndex = 0,
  sliceCount = 1,
): PlannedPage => ({ kind, visibleDepth, visibleNoteIds, sliceIndex, sliceCount })

const chunks = (ids: readonly string[], size: number): string[][] =>
  Array.from({ length: Math.ceil(ids.length / size) }, (_, at) => ids.slice(at * size, (at + 1) * size))
