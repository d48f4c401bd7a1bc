import { onScopeDispose, ref, shallowRef, type Ref } from 'vue'
import { openGuide, type GuideStep, type GuideReader } from '../../stores/guide.ts'
import {
  buildGuidePiece,
  HEADING_ID_PREFIX,
  SlugGenerator,
  type GuideHeading,
  type SectionLinkBuilder,
} from './guide-piece.ts'

/** `paused`: the character budget is used up. `failed`: the rest could not be read. */
type DrawingPhase = 'drawing' | 'paused' | 'done' | 'failed'

/** Rendering that ends earlier shows no progress, which would only flicker. */
const PROGRESS_DELAY_MS = 150
/** Minimum time between updates of the outline while it grows. */
const OUTLINE_INTERVAL_MS = 250

/**
 * Renders a guide of any length into `body`. A worker parses the Markdown, and the page inserts one
 * piece at a time, so that no task takes long.
 * @param budget returns the number of characters after which rendering pauses until
 *   `continueRendering` is called.
 * @param sectionLink returns the address of a section of the guide.
 */
export function useGuideRendering(
  body: Readonly<Ref<HTMLElement | null>>,
  budget: () => number,
  sectionLink: SectionLinkBuilder,
) {
  const outline = shallowRef<GuideHeading[]>([])
  /** `outline` grows in place, because copying it for each piece takes quadratic time. */
  const headingCount = ref(0)
  const phase = ref<DrawingPhase>('done')
  const isSlow = ref(false)
  /** A section that a link names but the guide does not have. */
  const missingSection = ref<string | null>(null)
  const renderedChars = ref(0)
  const totalChars = ref(0)
  let reader: GuideReader | null = null
  let slugs = new SlugGenerator()
  let ids = new Set<string>()
  /** The section to scroll to as soon as it is rendered. */
  let pendingSection: string | null = null
  let outlineUpdatedAt = 0

  function renderGuide(markdown: string): void {
    reader?.close()
    reader = openGuide(markdown)
    slugs = new SlugGenerator()
    ids = new Set()
    pendingSection = null
    missingSection.value = null
    outline.value = []
    headingCount.value = 0
    renderedChars.value = 0
    totalChars.value = markdown.length
    body.value?.replaceChildren()
    void continueRendering()
  }

  async function continueRendering(): Promise<void> {
    const ownReader = reader
    if (!ownReader) return
    phase.value = 'drawing'
    const timer = setTimeout(() => (isSlow.value = true), PROGRESS_DELAY_MS)
    const pauseAtChars = renderedChars.value + budget()
    try {
      for (;;) {
        const piece = await ownReader.next()
        if (ownReader !== reader) return
        if (!piece) {
          phase.value = 'done'
          break
        }
        insertPiece(piece.steps)
        renderedChars.value = piece.processedChars
        if (renderedChars.value >= pauseAtChars && renderedChars.value < totalChars.value) {
          phase.value = 'paused'
          break
        }
      }
    } catch {
      if (ownReader !== reader) return
      phase.value = 'failed'
    } finally {
      clearTimeout(timer)
      if (ownReader === reader) isSlow.value = false
    }
    headingCount.value = outline.value.length
    missingSection.value = pendingSection
    pendingSection = null
  }

  function insertPiece(steps: readonly GuideStep[]): void {
    const { fragment, headings: pieceHeadings } = buildGuidePiece(steps, slugs, sectionLink)
    const section = document.createElement('section')
    section.append(fragment)
    body.value?.append(section)
    for (const heading of pieceHeadings) {
      outline.value.push(heading)
      ids.add(heading.id)
    }
    if (performance.now() - outlineUpdatedAt > OUTLINE_INTERVAL_MS) {
      outlineUpdatedAt = performance.now()
      headingCount.value = outline.value.length
    }
    if (pendingSection !== null && ids.has(HEADING_ID_PREFIX + pendingSection)) scrollToSection(pendingSection)
  }

  function scrollToId(id: string): void {
    // The id contains text of the host, so the selector needs it escaped.
    body.value?.querySelector(`#${CSS.escape(id)}`)?.scrollIntoView({ block: 'start' })
  }

  /** Scrolls to a section now, or as soon as it is rendered. */
  function scrollToSection(section: string): void {
    const isRendered = ids.has(HEADING_ID_PREFIX + section)
    const isPending = !isRendered && phase.value === 'drawing'
    pendingSection = isPending ? section : null
    missingSection.value = isRendered || isPending ? null : section
    if (isRendered) scrollToId(HEADING_ID_PREFIX + section)
  }

  onScopeDispose(() => {
    reader?.close()
    reader = null
  })

  return {
    outline,
    headingCount,
    phase,
    isSlow,
    renderedChars,
    totalChars,
    missingSection,
    renderGuide,
    continueRendering,
    scrollToId,
    scrollToSection,
  }
}
