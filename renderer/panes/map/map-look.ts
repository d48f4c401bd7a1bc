import { mapTones, type MapLook, type MapTone } from '../../model/map/map-scene.ts'

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
  edge: 'GrayText',
  path: 'Highlight',
  block: 'GrayText',
  text: 'CanvasText',
  muted: 'GrayText',
  accent: 'Highlight',
  selection: 'Canvas',
  match: 'Mark',
  matchLine: 'CanvasText',
  warning: 'LinkText',
  ok: 'LinkText',
}

/** Reads the colors and the font of the page, which the worker cannot see. */
export function readMapLook(element: Element, isForced: boolean): MapLook {
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
