/** The colors of tokens.css for code that cannot read them there. A test compares both. */
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
    ok: '#146a3f',
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
