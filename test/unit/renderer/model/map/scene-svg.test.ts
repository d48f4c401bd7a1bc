import { expect, test } from 'vitest'
import { mapTones, type MapLook, type MapScene } from '../../../../../renderer/model/map/map-scene.ts'
import { writeSceneSvg } from '../../../../../renderer/model/map/scene-svg.ts'

const look: MapLook = {
  colors: Object.fromEntries(mapTones.map((tone) => [tone, `#${tone.length}00`])) as MapLook['colors'],
  fontFamily: '"Noto Sans", sans-serif',
}
const scene: MapScene = {
  isDown: false,
  edges: [{ tone: 'edge', width: 1, ends: Float32Array.of(0, 0, 40, 20) }],
  blocks: [{ tone: 'block', opacity: 0.5, boxes: Float32Array.of(1, 2, 3, 4) }],
  boxes: [{ x: 1, y: 2, width: 30, height: 20, radius: 4, fill: 'rgb(1, 2, 3)', line: 'boxLine', lineWidth: 1 }],
  texts: [
    { x: 5, y: 6, text: '<b>&"\u0000\ud800颅骨', fontPx: 13, isBold: true, tone: 'text', opacity: 1, hasHalo: false },
  ],
}

test('a frame becomes a drawing, whatever characters its titles have', () => {
  const svg = writeSceneSvg(scene, look, 200, 100)
  expect(svg).toContain('font-family="&quot;Noto Sans&quot;, sans-serif"')
  expect(svg).toContain('>&lt;b&gt;&amp;&quot;\ufffd颅骨</text>')
  expect(svg).toContain('M0 0C20 0 20 20 40 20')
  expect(svg).toContain('fill="rgb(1, 2, 3)"')
  expect(svg).toContain('M1 2h3v4h-3z')
})
