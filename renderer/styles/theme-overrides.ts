import type { GlobalThemeOverrides } from 'naive-ui'
import { fonts, palettes, type ThemeName } from './theme.ts'

/**
 * Sets naive-ui's variables from the palette of the page: 13 px text, 4 px corners, hairlines, one
 * accent, no colored glow.
 */
export function createThemeOverrides(name: ThemeName): GlobalThemeOverrides {
  const palette = palettes[name]
  return {
    common: createCommonOverrides(palette),
    ...createControlOverrides(palette),
    ...createOverlayOverrides(palette),
  }
}

type ComponentOverrides = Omit<GlobalThemeOverrides, 'common'>
type Palette = (typeof palettes)[ThemeName]

/**
 * The height of controls follows the density. naive-ui only passes the value on as a CSS variable.
 */
const CONTROL_HEIGHT = 'var(--control)'
const OVERLAY_SHADOW = 'var(--shadow-overlay)'

function createCommonOverrides(c: Palette): NonNullable<GlobalThemeOverrides['common']> {
  return {
    fontFamily: fonts.ui,
    fontFamilyMono: fonts.mono,
    fontSize: '13px',
    fontSizeMini: '12px',
    fontSizeTiny: '12px',
    fontSizeSmall: '13px',
    fontSizeMedium: '13px',
    fontSizeLarge: '13px',
    fontSizeHuge: '15px',
    fontWeightStrong: '600',
    lineHeight: '20px',
    borderRadius: '4px',
    borderRadiusSmall: '4px',
    heightTiny: '20px',
    heightSmall: '26px',
    heightMedium: '28px',
    heightLarge: '32px',
    baseColor: c['on-accent'],
    primaryColor: c.accent,
    primaryColorHover: c['accent-hover'],
    primaryColorPressed: c['accent-hover'],
    primaryColorSuppl: c.accent,
    infoColor: c.accent,
    infoColorHover: c['accent-hover'],
    infoColorPressed: c['accent-hover'],
    successColor: c.ok,
    successColorHover: c.ok,
    successColorPressed: c.ok,
    warningColor: c.warn,
    warningColorHover: c.warn,
    warningColorPressed: c.warn,
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
    iconColorHover: c.text,
    iconColorPressed: c.text,
    iconColorDisabled: c.muted,
    closeIconColor: c.muted,
    closeIconColorHover: c.text,
    closeIconColorPressed: c.text,
    closeColorHover: c.hover,
    closeColorPressed: c.hover,
    clearColor: c.muted,
    clearColorHover: c.text,
    clearColorPressed: c.text,
    bodyColor: c.bg,
    cardColor: c.bg,
    modalColor: c.raised,
    popoverColor: c.raised,
    tableColor: c.bg,
    inputColor: c.bg,
    inputColorDisabled: c.panel,
    actionColor: c.panel,
    tabColor: c.panel,
    tagColor: c.panel,
    codeColor: c.panel,
    railColor: c.line,
    progressRailColor: c.hairline,
    dividerColor: c.hairline,
    borderColor: c.line,
    hoverColor: c.hover,
    pressedColor: c.hover,
    buttonColor2: c.hover,
    buttonColor2Hover: c.hover,
    buttonColor2Pressed: c.hover,
    boxShadow1: OVERLAY_SHADOW,
    boxShadow2: OVERLAY_SHADOW,
    boxShadow3: OVERLAY_SHADOW,
    opacityDisabled: '0.6',
  }
}

/** Text fields and selects look the same. */
function createFieldOverrides(c: Palette) {
  const focus = `0 0 0 1px ${c.accent}`
  return {
    heightMedium: CONTROL_HEIGHT,
    color: c.bg,
    colorFocus: c.bg,
    colorActive: c.bg,
    border: `1px solid ${c.line}`,
    borderHover: `1px solid ${c.muted}`,
    borderFocus: `1px solid ${c.accent}`,
    borderActive: `1px solid ${c.accent}`,
    boxShadowFocus: focus,
    boxShadowActive: focus,
    boxShadowHover: 'none',
    boxShadowFocusError: `0 0 0 1px ${c.error}`,
    boxShadowActiveError: `0 0 0 1px ${c.error}`,
    placeholderColor: c.muted,
  }
}

function createControlOverrides(c: Palette): ComponentOverrides {
  const focus = `0 0 0 2px ${c.accent}`
  const line = `1px solid ${c.line}`
  const borders = { border: line, borderHover: line, borderPressed: line, borderFocus: line }
  const textColors = {
    textColorHover: c.text,
    textColorPressed: c.text,
    textColorFocus: c.text,
    textColorDisabled: c.muted,
  }
  return {
    Button: {
      ...borders,
      ...textColors,
      heightMedium: CONTROL_HEIGHT,
      // The minimum target size of WCAG 2.2 (2.5.8).
      heightTiny: '24px',
      paddingMedium: '0 10px',
      fontWeight: '400',
      color: c.bg,
      colorHover: c.hover,
      colorPressed: c.hover,
      colorFocus: c.bg,
      colorFocusPrimary: c.accent,
      textColorPrimary: c['on-accent'],
      textColorHoverPrimary: c['on-accent'],
      rippleDuration: '0s',
      waveOpacity: '0',
    },
    Input: { ...createFieldOverrides(c), paddingMedium: '0 8px', caretColor: c.text, clearSize: '14px' },
    Select: {
      peers: { InternalSelection: { ...createFieldOverrides(c), paddingSingle: '0 26px 0 8px', caretColor: c.text } },
    },
    InternalSelectMenu: { optionHeightMedium: '26px', optionPaddingMedium: '0 8px', optionColorPending: c.hover },
    AutoComplete: { peers: { InternalSelectMenu: { optionHeightMedium: '26px', optionPaddingMedium: '0 8px' } } },
    Checkbox: { sizeMedium: '14px', labelPadding: '0 6px', color: c.bg, boxShadowFocus: focus },
    Switch: { railColor: c.line, boxShadowFocus: focus, railHeightMedium: '18px', buttonHeightMedium: '14px' },
    Radio: {
      buttonHeightMedium: CONTROL_HEIGHT,
      buttonColor: c.bg,
      buttonColorActive: c['accent-soft'],
      buttonTextColor: c.muted,
      buttonTextColorHover: c.text,
      buttonTextColorActive: c.accent,
      buttonBorderColorActive: c.accent,
      buttonBoxShadowFocus: `inset 0 0 0 1px ${c.accent}`,
      boxShadowFocus: focus,
    },
    Slider: { fillColor: c.accent, fillColorHover: c.accent, railHeight: '2px', handleSize: '12px' },
    Form: {
      labelFontSizeLeftMedium: '13px',
      feedbackFontSizeMedium: '12px',
      labelHeightMedium: CONTROL_HEIGHT,
      blankHeightMedium: CONTROL_HEIGHT,
    },
    Tag: { heightMedium: '22px', borderRadius: '4px', colorBordered: c.panel, border: `1px solid ${c.hairline}` },
  }
}

function createOverlayOverrides(c: Palette): ComponentOverrides {
  return {
    Alert: {
      padding: '12px',
      iconSize: '16px',
      iconMargin: '14px 8px 0 12px',
      colorError: c['error-soft'],
      colorWarning: c['warn-soft'],
    },
    Card: { paddingMedium: '12px 16px', titleFontSizeMedium: '15px', borderRadius: '8px' },
    Descriptions: { thPaddingBorderedMedium: '4px 8px', tdPaddingBorderedMedium: '4px 8px' },
    Drawer: {
      bodyPadding: '12px 16px',
      headerPadding: '10px 16px',
      footerPadding: '10px 16px',
      titleFontSize: '15px',
      titleFontWeight: '600',
    },
    Dropdown: { optionHeightSmall: '26px', optionHeightMedium: '26px', padding: '4px' },
    Empty: { textColor: c.muted, extraTextColor: c.text },
    Message: { padding: '8px 12px', iconSize: '16px', maxWidth: '480px' },
    Notification: { padding: '12px', titleFontSize: '13px', fontSize: '13px' },
    Popover: { padding: '8px 12px', space: '4px' },
    Progress: { fillColor: c.accent, railHeight: '2px' },
    Timeline: { titleFontSizeMedium: '13px', iconSizeMedium: '12px' },
    Tooltip: {
      color: c.text,
      textColor: c.bg,
      padding: '3px 8px',
      peers: { Popover: { fontSize: '12px', padding: '3px 8px' } },
    },
  }
}
