import { expect, test } from 'vitest'
import { mapTones, type MapLook, type MapScene } from '../../../../../renderer/model/map/map-scene.ts'
import { beginSvg, SVG_END, writeSceneSvg } from '../../../../../renderer/model/map/scene-svg.ts'

const look: MapLook = {
  colors: Object.fromEntries(mapTones.map((tone) => [tone, `#${tone.length}00`])) as MapLook['colors'],
  fontFamily: '"Noto Sans", sans-serif',
}
const title = '</text><script>alert(1)</script><b>&"\u0000\ud800颅骨]]><!-- &#0; --><svg onload="alert(2)">'
const scene: MapScene = {
  isDown: false,
  edges: [{ tone: 'edge', width: 1, ends: Float32Array.of(0, 0, 40, 20) }],
  blocks: [{ fill: 'block', opacity: 0.5, boxes: Float32Array.of(1, 2, 3, 4) }],
  boxes: [{ x: 1, y: 2, width: 30, height: 20, radius: 4, fill: 'rgb(1, 2, 3)', line: 'boxLine', lineWidth: 1 }],
  glyphs: [{ glyph: 'text', x: 4, y: 5, px: 12 }],
  texts: [{ x: 5, y: 6, text: title, fontPx: 13, isBold: true, tone: 'text', opacity: 1 }],
}

test('a scene becomes a part of a drawing', () => {
  const svg = writeSceneSvg(scene, look, { x: 3, y: 4 })
  expect(svg).toContain('<g transform="translate(3 4)">')
  expect(svg).toContain('M0 0C20 0 20 20 40 20')
  expect(svg).toContain('fill="rgb(1, 2, 3)"')
  expect(svg).toContain('M1 2h3v4h-3z')
  expect(svg).toContain('<path d="M21 5H3M15 12H3M17 19H3" transform="translate(4 5) scale(0.5)"')
  expect(writeSceneSvg(scene, look, { x: 0, y: 9, clip: { width: 20, height: 10 } })).toContain(
    '<svg x="0" y="9" width="20" height="10">',
  )
})

test('no title can become markup, and no character that XML forbids is left', () => {
  const svg = beginSvg(title, look, 200, 100) + writeSceneSvg(scene, look, { x: 0, y: 0 }) + SVG_END
  expect(svg).toContain('font-family="&quot;Noto Sans&quot;, sans-serif"')
  expect(svg.match(/<(script|b|!--)/g)).toBeNull()
  expect(svg.match(/<svg/g)).toHaveLength(1)
  expect(svg).not.toMatch(/[\u0000-\u0008\ufffe\uffff]|]]>/)
  expect(svg.isWellFormed()).toBe(true)
  expect(svg).toContain('&lt;b&gt;&amp;&quot;\ufffd颅骨]]&gt;&lt;!-- &amp;#0; --&gt;')
})
