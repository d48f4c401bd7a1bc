import { useI18n } from 'vue-i18n'
import { foldText } from '../../../shared/format/text-folding.ts'
import { splitAtMatch } from '../../components/text-match.ts'
import { toSingleLine } from '../../components/text-truncation.ts'
import type { CardMarks } from '../../model/cards/card-marks.ts'
import { useTree } from '../../stores/tree.ts'
import { useChangeTexts } from '../../panes/change-texts.ts'
import { useTreeChanges } from '../../stores/tree-changes.ts'
import { useTreeDetails } from '../../stores/tree-details.ts'

/** Member with the filter's text, unless that is in the title, where it is highlighted. */
type RowMatch =
  | { readonly kind: 'id' }
  | { readonly kind: 'hashtag'; readonly tag: string; readonly parts: readonly [string, string, string] }
  | { readonly kind: 'text'; readonly parts: readonly [string, string, string] }

/** Characters of a text that are shown before a match in it. */
const MAX_CHARS_BEFORE_MATCH = 24
/** Longer lists of hashtags are cut in the description of a row. */
const MAX_DESCRIBED_TAGS = 20

/** @param getHighlight returns the folded text of the filter */
export function useRowTexts(getHighlight: () => string) {
  const { t, n } = useI18n()
  const tree = useTree()
  const details = useTreeDetails()
  const changes = useTreeChanges()
  const changeTexts = useChangeTexts()

  function findMatch(node: number): RowMatch | null {
    const highlight = getHighlight()
    if (highlight === '' || tree.filter?.marks[node] !== 2) return null
    if (foldText(tree.forest.getTitle(node)).includes(highlight)) return null
    if (foldText(tree.forest.getNoteid(node)).startsWith(highlight)) return { kind: 'id' }
    const marks = details.marks.get(node)
    if (!marks?.foldedText.includes(highlight)) return null
    for (const tag of marks.tags) {
      const parts = splitAtMatch(tag, highlight)
      if (parts) return { kind: 'hashtag', tag, parts }
    }
    const text = marks.text.replace(/\s+/g, ' ')
    // The first text of most cards begins with their title, which the row shows already.
    const title = `${toSingleLine(tree.forest.getTitle(node))} `
    const parts =
      (text.startsWith(title) && splitAtMatch(text.slice(title.length), highlight)) || splitAtMatch(text, highlight)
    return parts && { kind: 'text', parts: [cutStart(parts[0]), parts[1], parts[2]] }
  }

  function describeMatch(match: RowMatch): string {
    if (match.kind === 'id') return t('tree.marks.matchId')
    if (match.kind === 'hashtag') return t('tree.marks.matchHashtag', { tag: toSingleLine(match.tag) })
    return t('tree.marks.matchText', { text: toSingleLine(match.parts.join('')) })
  }

  function describeMarks(marks: CardMarks): string[] {
    const { colorIndex, groups, hasBands, bandCount, hasInk, practice, tags } = marks
    const described = groups.map((group) => t(`tree.marks.${group}`))
    if (hasBands)
      described.push(
        bandCount === null ? t('tree.marks.bands') : t('tree.marks.bandCount', { n: n(bandCount) }, bandCount),
      )
    if (hasInk) described.push(t('tree.marks.ink'))
    if (practice)
      described.push(
        practice.self === null
          ? t('tree.marks.practice')
          : t('tree.marks.practiceState', { self: toSingleLine(practice.self) }),
      )
    if (tags.length > 0) {
      const shownTags = tags.slice(0, MAX_DESCRIBED_TAGS).map((tag) => toSingleLine(tag))
      const rest =
        tags.length > shownTags.length ? [t('tree.marks.more', { n: n(tags.length - shownTags.length) })] : []
      described.push(t('tree.marks.hashtags', { tags: [...shownTags, ...rest].join(', ') }))
    }
    if (colorIndex !== null) described.push(t('card.level', { level: colorIndex }))
    return described
  }

  /** Tells the change since the chosen snapshot, and its call; empty if there is none. */
  function describeChange(node: number): string {
    const tone = changes.getTone(node)
    if (tone === 'none' || changes.marks === null) return ''
    const time = changeTexts.formatTime(changes.marks.before.endedAt)
    const mark = changes.getMark(node)
    if (mark === null) return t('tree.changes.changed', { time, kinds: t(`tree.changes.tone.${tone}`) })
    const { kinds, cause, removed, unexplained } = mark
    const described = cause && [
      t('tree.changes.changed', { time, kinds: changeTexts.formatKinds(kinds) }),
      changeTexts.formatCause(cause, unexplained),
    ]
    return [
      ...(described ? [described.join(' · ')] : []),
      ...(removed > 0 ? [t('tree.changes.removedBelow', { time, n: n(removed) }, removed)] : []),
    ].join(t('tree.marks.join'))
  }

  /** The marks as text, for assistive technology and as a tooltip. */
  function describeNode(node: number): string {
    const marks = details.marks.get(node)
    const match = findMatch(node)
    const change = describeChange(node)
    return [
      ...(match ? [describeMatch(match)] : []),
      ...(change === '' ? [] : [change]),
      ...(marks ? describeMarks(marks) : []),
    ].join(t('tree.marks.join'))
  }

  return { findMatch, describeChange, describeNode }
}

function cutStart(text: string): string {
  return text.length > MAX_CHARS_BEFORE_MATCH ? `…${text.slice(-MAX_CHARS_BEFORE_MATCH)}` : text
}
