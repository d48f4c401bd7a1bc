import { useI18n } from 'vue-i18n'
import { toSingleLine } from '../../components/text-truncation.ts'

/** Kinds with a translation, because observed-0.49 names no others. */
const kinds = [
  'title',
  'text',
  'rich_text',
  'blank',
  'blank_image',
  'excerpt_image',
  'image',
  'ink',
  'audio',
  'video',
  'attachment',
  'excerpt',
]

/** An unknown kind stays as the host wrote it. */
export function useKindName(): (kind: string) => string {
  const { t } = useI18n()
  return (kind) => (kinds.includes(kind) ? t(`card.kind.${kind}`) : toSingleLine(kind) || t('card.kindUnknown'))
}
