import { onScopeDispose, ref, shallowRef, type Ref } from 'vue'
import { openGuide, type GuideOp, type GuideReader } from '../../stores/guide.ts'
import {
  buildGuidePiece,
  HEADING_ID_PREFIX,
  SlugGenerator,
  type GuideHeading,
  type SectionLinkBuilder,
} from './guide-piece.ts'

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
export function useGuideRendering(
  body: Readonly<Ref<HTMLElement | null>>,
  budget: () => number,
  sectionLink: SectionLinkBuilder,
) {
  const outline = shallowRef<GuideHeading[]>([])
  /** How many headings of `outline` to show; it grows in place, because copying it for each piece would take longer and longer. */
  const headingCount = ref(0)
  const phase = ref<DrawingPhase>('done')
  const isSlow = ref(false)
  /** The section a link names but the guide doesn't have. */
  const missingSection = ref<string | null>(null)
  /** Characters rendered, and in total. */
  const renderedChars = ref(0)
  const totalChars = ref(0)
  let reader: GuideReader | null = null
  let slugs = new SlugGenerator()
  let ids = new Set<string>()
  /** The section to show as soon as it is rendered. */
  let wanted: string | null = null
  let toldAt = 0

  function renderGuide(markdown: string): void {
    reader?.close()
    reader = openGuide(markdown)
    slugs = new SlugGenerator()
    ids = new Set()
    wanted = null
    missingSection.value = null
    outline.value = []
    headingCount.value = 0
    renderedChars.value = 0
    totalChars.value = markdown.length
    body.value?.replaceChildren()
    void continueRendering()
  }

  async function continueRendering(): Promise<void> {
    const mine = reader
    if (!mine) return
    phase.value = 'drawing'
    const timer = setTimeout(() => (isSlow.value = true), SLOW_MS)
    const until = renderedChars.value + budget()
    try {
      for (;;) {
        const piece = await mine.next()
        if (mine !== reader) return
        if (!piece) {
          phase.value = 'done'
          break
        }
        insert(piece.ops)
        renderedChars.value = piece.processedChars
        if (renderedChars.value >= until && renderedChars.value < totalChars.value) {
          phase.value = 'paused'
          break
        }
      }
    } catch {
      if (mine !== reader) return
      phase.value = 'failed'
    } finally {
      clearTimeout(timer)
      if (mine === reader) isSlow.value = false
    }
    headingCount.value = outline.value.length
    missingSection.value = wanted
    wanted = null
  }

  function insert(ops: readonly GuideOp[]): void {
    const { fragment, headings: found } = buildGuidePiece(ops, slugs, sectionLink)
    const section = document.createElement('section')
    section.append(fragment)
    body.value?.append(section)
    for (const heading of found) {
      outline.value.push(heading)
      ids.add(heading.id)
    }
    if (performance.now() - toldAt > OUTLINE_MS) {
      toldAt = performance.now()
      headingCount.value = outline.value.length
    }
    if (wanted !== null && ids.has(HEADING_ID_PREFIX + wanted)) scrollToSection(wanted)
  }

  function scrollToId(id: string): void {
    // The id contains the host's words, so it is escaped for the selector.
    body.value?.querySelector(`#${CSS.escape(id)}`)?.scrollIntoView({ block: 'start' })
  }

  /** Shows a section, or waits until it is rendered. */
  function scrollToSection(section: string): void {
    const there = ids.has(HEADING_ID_PREFIX + section)
    const coming = !there && phase.value === 'drawing'
    wanted = coming ? section : null
    missingSection.value = there || coming ? null : section
    if (there) scrollToId(HEADING_ID_PREFIX + section)
  }

  onScopeDispose(() => {
    reader?.close()
    reader = null
  })

  return {
    outline,
    headings: headingCount,
    phase,
    slow: isSlow,
    drawn: renderedChars,
    total: totalChars,
    missing: missingSection,
    draw: renderGuide,
    goOn: continueRendering,
    go: scrollToId,
    goSection: scrollToSection,
  }
}
