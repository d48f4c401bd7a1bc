import { computed } from 'vue'
import { useI18n } from 'vue-i18n'
import { member } from '../../../../shared/json/object.ts'
import { useListed } from '../../../stores/listed.ts'
import type { FacePart } from './face.ts'

/** The palette under the level, and the fills that the host names, or the known ones. */
export const useColors: FacePart<'colors'> = (_, { level, fill }) => {
  const { t, te } = useI18n()
  const host = useListed()
  const choices = computed(() => {
    const sent = member(host.capabilities?.noteMetadata, 'fillIndex')
    const fills = Array.isArray(sent) ? sent.filter((one) => typeof one === 'number') : [-1, 0, 1, 2]
    const label = (one: number): string => (te(`card.fill.${one}`) ? t(`card.fill.${one}`) : '')
    return { [fill]: fills.map((one) => ({ value: String(one), label: `${one} · ${label(one)}` })) }
  })
  return { choices, swatches: level }
}
