import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { fonts, palettes, type ThemeName } from '../../../renderer/styles/theme.ts'

const css = readFileSync(new URL('../../../renderer/styles/tokens.css', import.meta.url), 'utf8')

/** Custom properties of the block with this selector, ignoring white space. */
function block(selector: string): Map<string, string> {
  const start = css.indexOf(`${selector} {`)
  const body = css.slice(start, css.indexOf('\n}', start))
  return new Map(
    [...body.matchAll(/--([\w-]+):\s*([^;]+);/g)].map(([, name = '', value = '']) => [
      name,
      value.replace(/\s+/g, ' '),
    ]),
  )
}

/** WCAG relative luminance of `#rrggbb`. */
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((index) => {
    const channel = parseInt(hex.slice(index, index + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (light + 0.05) / (dark + 0.05)
}

const blocks: Record<ThemeName, Map<string, string>> = {
  light: block(':root'),
  dark: block(":root[data-theme='dark']"),
}

describe.each(['light', 'dark'] as const)('the %s theme', (name) => {
  const palette = palettes[name]

  test('is the same in tokens.css and theme.ts', () => {
    const hexes = [...blocks[name]].filter(([, value]) => value.startsWith('#'))
    expect(Object.fromEntries(hexes)).toEqual(palette)
  })

  const surfaces = ['bg', 'panel', 'raised', 'hover', 'selection'] as const
  const pairs = [
    ...(['text', 'muted', 'accent', 'ok', 'warn', 'error'] as const).flatMap((text) =>
      surfaces.map((surface) => [text, surface] as const),
    ),
    ['accent', 'accent-soft'],
    ['on-accent', 'accent'],
    ['on-accent', 'accent-hover'],
    ['warn', 'warn-soft'],
    ['text', 'warn-soft'],
    ['muted', 'warn-soft'],
    ['error', 'error-soft'],
    ['text', 'error-soft'],
    ['bg', 'text'],
  ] as const

  test.each(pairs)('has readable %s on %s', (text, surface) => {
    expect(contrast(palette[text], palette[surface])).toBeGreaterThanOrEqual(4.5)
  })
})

test('fonts are the same in both themes', () => {
  expect(blocks.light.get('font-ui')).toBe(fonts.ui)
  expect(blocks.light.get('font-mono')).toBe(fonts.mono)
})
