import { onScopeDispose, ref, shallowRef, type Ref } from 'vue'
import { readGuide, type GuideOp, type GuideReader } from '../../stores/guide.ts'
import { buildPiece, HEADING, Slugs, type Heading, type SectionLink } from './markdown.ts'

/** `paused` = the budget of the settings is used up; `failed` = the text could not be read on. */
export type DrawingPhase = 'drawing' | 'paused' | 'done' | 'failed'

/** What takes no longer is not spoken of. */
const SLOW_MS = 150
/** The outline is shown anew at most this often while it grows. */
const OUTLINE_MS = 250

/**
 * Draws a guide of any length into `body`: Markdown is read in a worker, and a piece at a time is checked and inserted, so that no task
 * of the page takes long. After `budget` characters more it waits for `goOn`.
 */
export function useGuideDrawing(
  body: Readonly<Ref<HTMLElement | null>>,
  budget: () => number,
  sectionLink: SectionLink,
) {
  const outline = shallowRef<Heading[]>([])
  /** How many headings of `outline` are to be shown; it grows in place, because a copy for each piece would take longer and longer. */
  const headings = ref(0)
  const phase = ref<DrawingPhase>('done')
  const slow = ref(false)
  /** The section that a link named and the guide does not have. */
  const missing = ref<string | null>(null)
  /** Characters that are drawn, and all. */
  const drawn = ref(0)
  const total = ref(0)
  let reader: GuideReader | null = null
  let slugs = new Slugs()
  let ids = new Set<string>()
  /** The section to show as soon as it is drawn. */
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
    if (Date.now() - toldAt > OUTLINE_MS) {
      toldAt = Date.now()
      headings.value = outline.value.length
    }
    if (wanted !== null && ids.has(HEADING + wanted)) goSection(wanted)
  }

  function go(id: string): void {
    // The host's words are in it: what a selector would read in another way is escaped.
    body.value?.querySelector(`#${CSS.escape(id)}`)?.scrollIntoView({ block: 'start' })
  }

  /** Shows a section; one that is not drawn yet as soon as it is. */
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
