import { darkTheme, type GlobalTheme, type GlobalThemeOverrides } from 'naive-ui'

/** The colours of tokens.css again, for code that can't read custom properties; a test keeps them in step. */
export const palettes = {
  light: {
    bg: '#ffffff',
    panel: '#f6f7f9',
    raised: '#ffffff',
    hairline: '#e2e5ea',
    line: '#c6ccd4',
    text: '#1b1f24',
    muted: '#5a6472',
    accent: '#2563c9',
    'accent-hover': '#1d52a9',
    'accent-soft': '#e8effb',
    'on-accent': '#ffffff',
    ok: '#1a7f4b',
    warn: '#8a5a00',
    'warn-soft': '#fff6e0',
    error: '#b3261e',
    'error-soft': '#fdecea',
    selection: '#dfe9fb',
    hover: '#eff1f4',
  },
  dark: {
    bg: '#15171b',
    panel: '#1b1e23',
    raised: '#23272e',
    hairline: '#2d323a',
    line: '#434a55',
    text: '#e3e6ea',
    muted: '#9aa5b1',
    accent: '#7aa7f7',
    'accent-hover': '#9bbdf9',
    'accent-soft': '#1e2c45',
    'on-accent': '#10141a',
    ok: '#58c48c',
    warn: '#e0b458',
    'warn-soft': '#332a14',
    error: '#f2857c',
    'error-soft': '#3a1d1b',
    selection: '#26395c',
    hover: '#22262c',
  },
} as const

export type ThemeName = keyof typeof palettes

export const fonts = {
  ui: "system-ui, -apple-system, 'Segoe UI', Roboto, 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', sans-serif",
  mono: "ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', 'Noto Sans Mono CJK SC', monospace",
} as const

/** naive-ui's base theme for a theme name; null is its light one. */
export function baseTheme(name: ThemeName): GlobalTheme | null {
  return name === 'dark' ? darkTheme : null
}

/** naive-ui's variables from the same palette: 13 px, 4 px corners, hairlines, one accent, no coloured glow. */
export function themeOverrides(name: ThemeName): GlobalThemeOverrides {
  const c = palettes[name]
  const focus = `0 0 0 1px ${c.accent}`
  const field = {
    color: c.bg,
    colorFocus: c.bg,
    border: `1px solid ${c.line}`,
    borderHover: `1px solid ${c.muted}`,
    borderFocus: `1px solid ${c.accent}`,
    boxShadowFocus: focus,
    placeholderColor: c.muted,
    paddingSmall: '0 8px',
  }
  return {
    common: {
      fontFamily: fonts.ui,
      fontFamilyMono: fonts.mono,
      fontSize: '13px',
      fontSizeMini: '12px',
      fontSizeTiny: '12px',
      fontSizeSmall: '13px',
      fontSizeMedium: '13px',
      fontSizeLarge: '13px',
      fontWeightStrong: '600',
      lineHeight: '20px',
      borderRadius: '4px',
      borderRadiusSmall: '4px',
      heightTiny: '20px',
      heightSmall: '26px',
      heightMedium: '28px',
      heightLarge: '32px',
      primaryColor: c.accent,
      primaryColorHover: c['accent-hover'],
      primaryColorPressed: c['accent-hover'],
      primaryColorSuppl: c.accent,
      infoColor: c.accent,
      successColor: c.ok,
      warningColor: c.warn,
      errorColor: c.error,
      errorColorHover: c.error,
      errorColorPressed: c.error,
      textColorBase: c.text,
      textColor1: c.text,
      textColor2: c.text,
      textColor3: c.muted,
      textColorDisabled: c.muted,
      placeholderColor: c.muted,
      placeholderColorDisabled: c.muted,
      iconColor: c.muted,
      bodyColor: c.bg,
      cardColor: c.bg,
      modalColor: c.raised,
      popoverColor: c.raised,
      tableColor: c.bg,
      inputColor: c.bg,
      dividerColor: c.hairline,
      borderColor: c.line,
      hoverColor: c.hover,
    },
    Button: { fontWeight: '400', textColorPrimary: c['on-accent'], textColorHoverPrimary: c['on-accent'] },
    Input: field,
    Select: { peers: { InternalSelection: { ...field, boxShadowActive: focus } } },
    Tooltip: { color: c.text, textColor: c.bg },
    Dropdown: { optionHeightSmall: '26px', optionHeightMedium: '26px' },
  }
}
