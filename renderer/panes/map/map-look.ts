import { useMediaQuery } from '@vueuse/core'
import { nextTick, onMounted, watch, type Ref } from 'vue'
import { useI18n } from 'vue-i18n'
import { mapTones, type MapLook, type MapTone } from '../../model/map/map-scene.ts'
import { useSettings } from '../../stores/settings.ts'

const properties: Readonly<Record<MapTone, string>> = {
  background: '--bg',
  box: '--panel',
  boxLine: '--hairline',
  root: '--accent-soft',
  edge: '--line',
  path: '--accent',
  block: '--line',
  text: '--text',
  muted: '--muted',
  accent: '--accent',
  selection: '--selection',
  match: '--warn-soft',
  matchLine: '--warn',
  warning: '--warn',
  ok: '--ok',
}
/** The system's colors, where they are forced. */
const systemColors: Readonly<Record<MapTone, string>> = {
  background: 'Canvas',
  box: 'Canvas',
  boxLine: 'CanvasText',
  root: 'Canvas',
  edge: 'CanvasText',
  path: 'Highlight',
  block: 'CanvasText',
  text: 'CanvasText',
  muted: 'CanvasText',
  accent: 'Highlight',
  selection: 'Canvas',
  match: 'Canvas',
  matchLine: 'Highlight',
  warning: 'LinkText',
  ok: 'LinkText',
}

/** Sends the look of the page to the worker, which cannot see it, again after each change. */
export function useMapLook(element: Readonly<Ref<Element | null>>, setLook: (look: MapLook) => void): void {
  const { t, locale } = useI18n()
  const settings = useSettings()
  const isForced = useMediaQuery('(forced-colors: active)')
  function update(): void {
    if (!element.value) return
    const texts = { untitled: t('common.untitled'), unread: t('common.titleNotRead') }
    setLook({ ...readMapLook(element.value, isForced.value), ...texts })
  }
  // Mounting is a task of its own, and so is sending the first cards.
  onMounted(() => setTimeout(update))
  watch([() => settings.theme, locale, isForced], () => void nextTick(update))
}

function readMapLook(element: Element, isForced: boolean): MapLook {
  const style = getComputedStyle(element)
  const probe = document.createElement('span')
  probe.hidden = true
  element.append(probe)
  const getColor = (tone: MapTone): string => {
    if (!isForced) return style.getPropertyValue(properties[tone]).trim() || 'gray'
    probe.style.setProperty('forced-color-adjust', 'none')
    probe.style.color = systemColors[tone]
    return getComputedStyle(probe).color
  }
  const colors = Object.fromEntries(mapTones.map((tone) => [tone, getColor(tone)])) as Record<MapTone, string>
  probe.remove()
  return { colors, fontFamily: style.fontFamily || 'sans-serif' }
}
