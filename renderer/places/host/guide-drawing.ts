import { onScopeDispose, ref, shallowRef, type Ref } from 'vue'
import { readGuide, type GuideOp, type GuideReader } from '../../stores/guide.ts'
import { buildPiece, HEADING, Slugs, type Heading, type SectionLink } from './markdown.ts'

/** `paused` = the budget from the settings is used up; `failed` = the text could not be read any further. */
type DrawingPhase = 'drawing' | 'paused' | 'done' | 'failed'

/** Anything faster shows no progress. */
const SLOW_MS = 150
/** While it grows, the outline is updated at most this often. */
const OUTLINE_MS = 250

/**
 * Renders a guide of any length into `body`: a worker reads the Markdown, and one piece at a time is checked and inserted, so that no task
 * of the page takes long. After `budget` more characters it waits for `goOn`.
 */
export function useGuideDrawing(
  body: Readonly<Ref<HTMLElement | null>>,
  budget: () => number,
  sectionLink: SectionLink,
) {
  const outline = shallowRef<Heading[]>([])
  /** How many headings of `outline` to show; it grows in place, because copying it for each piece would take longer and longer. */
  const headings = ref(0)
  const phase = ref<DrawingPhase>('done')
  const slow = ref(false)
  /** The section a link names but the guide doesn't have. */
  const missing = ref<string | null>(null)
  /** Characters rendered, and in total. */
  const drawn = ref(0)
  const total = ref(0)
  let reader: GuideReader | null = null
  let slugs = new Slugs()
  let ids = new Set<string>()
  /** The section to show as soon as it is rendered. */
  let wanted: string | null = null
  let toldAt = 0

  function draw(markdown: string): void {
    reader?.close()
    reader = readGuide(markdown)
    slugs = new Slugs()
    ids = new Set()
    wanted = null
    missing.value = null
    outline.value = []
    headings.value = 0
    drawn.value = 0
    total.value = markdown.length
    body.value?.replaceChildren()
    void goOn()
  }

  async function goOn(): Promise<void> {
    const mine = reader
    if (!mine) return
    phase.value = 'drawing'
    const timer = setTimeout(() => (slow.value = true), SLOW_MS)
    const until = drawn.value + budget()
    try {
      for (;;) {
        const piece = await mine.next()
        if (mine !== reader) return
        if (!piece) {
          phase.value = 'done'
          break
        }
        insert(piece.ops)
        drawn.value = piece.at
        if (drawn.value >= until && drawn.value < total.value) {
          phase.value = 'paused'
          break
        }
      }
    } catch {
      if (mine !== reader) return
      phase.value = 'failed'
    } finally {
      clearTimeout(timer)
      if (mine === reader) slow.value = false
    }
    headings.value = outline.value.length
    missing.value = wanted
    wanted = null
  }

  function insert(ops: readonly GuideOp[]): void {
    const { fragment, headings: found } = buildPiece(ops, slugs, sectionLink)
    const section = document.createElement('section')
    section.append(fragment)
    body.value?.append(section)
    for (const heading of found) {
      outline.value.push(heading)
      ids.add(heading.id)
    }
    if (performance.now() - toldAt > OUTLINE_MS) {
      toldAt = performance.now()
      headings.value = outline.value.length
    }
    if (wanted !== null && ids.has(HEADING + wanted)) goSection(wanted)
  }

  function go(id: string): void {
    // The id contains the host's words, so it is escaped for the selector.
    body.value?.querySelector(`#${CSS.escape(id)}`)?.scrollIntoView({ block: 'start' })
  }

  /** Shows a section, or waits until it is rendered. */
  function goSection(section: string): void {
    const there = ids.has(HEADING + section)
    const coming = !there && phase.value === 'drawing'
    wanted = coming ? section : null
    missing.value = there || coming ? null : section
    if (there) go(HEADING + section)
  }

  onScopeDispose(() => {
    reader?.close()
    reader = null
  })

  return { outline, headings, phase, slow, drawn, total, missing, draw, goOn, go, goSection }
}
