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

function createCommonOverrides(palette: Palette): NonNullable<GlobalThemeOverrides['common']> {
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
    baseColor: palette['on-accent'],
    primaryColor: palette.accent,
    primaryColorHover: palette['accent-hover'],
    primaryColorPressed: palette['accent-hover'],
    primaryColorSuppl: palette.accent,
    infoColor: palette.accent,
    infoColorHover: palette['accent-hover'],
    infoColorPressed: palette['accent-hover'],
    successColor: palette.ok,
    successColorHover: palette.ok,
    successColorPressed: palette.ok,
    warningColor: palette.warn,
    warningColorHover: palette.warn,
    warningColorPressed: palette.warn,
    errorColor: palette.error,
    errorColorHover: palette.error,
    errorColorPressed: palette.error,
    textColorBase: palette.text,
    textColor1: palette.text,
    textColor2: palette.text,
    textColor3: palette.muted,
    textColorDisabled: palette.muted,
    placeholderColor: palette.muted,
    placeholderColorDisabled: palette.muted,
    iconColor: palette.muted,
    iconColorHover: palette.text,
    iconColorPressed: palette.text,
    iconColorDisabled: palette.muted,
    closeIconColor: palette.muted,
    closeIconColorHover: palette.text,
    closeIconColorPressed: palette.text,
    closeColorHover: palette.hover,
    closeColorPressed: palette.hover,
    clearColor: palette.muted,
    clearColorHover: palette.text,
    clearColorPressed: palette.text,
    bodyColor: palette.bg,
    cardColor: palette.bg,
    modalColor: palette.raised,
    popoverColor: palette.raised,
    tableColor: palette.bg,
    inputColor: palette.bg,
    inputColorDisabled: palette.panel,
    actionColor: palette.panel,
    tabColor: palette.panel,
    tagColor: palette.panel,
    codeColor: palette.panel,
    railColor: palette.line,
    progressRailColor: palette.hairline,
    dividerColor: palette.hairline,
    borderColor: palette.line,
    hoverColor: palette.hover,
    pressedColor: palette.hover,
    buttonColor2: palette.hover,
    buttonColor2Hover: palette.hover,
    buttonColor2Pressed: palette.hover,
    boxShadow1: OVERLAY_SHADOW,
    boxShadow2: OVERLAY_SHADOW,
    boxShadow3: OVERLAY_SHADOW,
    opacityDisabled: '0.6',
  }
}

/** Text fields and selects look the same. */
function createFieldOverrides(palette: Palette) {
  const focus = `0 0 0 1px ${palette.accent}`
  return {
    heightMedium: CONTROL_HEIGHT,
    color: palette.bg,
    colorFocus: palette.bg,
    colorActive: palette.bg,
    border: `1px solid ${palette.line}`,
    borderHover: `1px solid ${palette.muted}`,
    borderFocus: `1px solid ${palette.accent}`,
    borderActive: `1px solid ${palette.accent}`,
    boxShadowFocus: focus,
    boxShadowActive: focus,
    boxShadowHover: 'none',
    boxShadowFocusError: `0 0 0 1px ${palette.error}`,
    boxShadowActiveError: `0 0 0 1px ${palette.error}`,
    placeholderColor: palette.muted,
  }
}

function createControlOverrides(palette: Palette): ComponentOverrides {
  const focus = `0 0 0 2px ${palette.accent}`
  const line = `1px solid ${palette.line}`
  const borders = { border: line, borderHover: line, borderPressed: line, borderFocus: line }
  const textColors = {
    textColorHover: palette.text,
    textColorPressed: palette.text,
    textColorFocus: palette.text,
    textColorDisabled: palette.muted,
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
      color: palette.bg,
      colorHover: palette.hover,
      colorPressed: palette.hover,
      colorFocus: palette.bg,
      colorFocusPrimary: palette.accent,
      textColorPrimary: palette['on-accent'],
      textColorHoverPrimary: palette['on-accent'],
      rippleDuration: '0s',
      waveOpacity: '0',
    },
    Input: { ...createFieldOverrides(palette), paddingMedium: '0 8px', caretColor: palette.text, clearSize: '14px' },
    Select: {
      peers: {
        InternalSelection: {
          ...createFieldOverrides(palette),
          paddingSingle: '0 26px 0 8px',
          caretColor: palette.text,
        },
      },
    },
    InternalSelectMenu: { optionHeightMedium: '26px', optionPaddingMedium: '0 8px', optionColorPending: palette.hover },
    AutoComplete: { peers: { InternalSelectMenu: { optionHeightMedium: '26px', optionPaddingMedium: '0 8px' } } },
    Checkbox: { sizeMedium: '14px', labelPadding: '0 6px', color: palette.bg, boxShadowFocus: focus },
    Switch: { railColor: palette.line, boxShadowFocus: focus, railHeightMedium: '18px', buttonHeightMedium: '14px' },
    Radio: {
      buttonHeightMedium: CONTROL_HEIGHT,
      buttonColor: palette.bg,
      buttonColorActive: palette['accent-soft'],
      buttonTextColor: palette.muted,
      buttonTextColorHover: palette.text,
      buttonTextColorActive: palette.accent,
      buttonBorderColorActive: palette.accent,
      buttonBoxShadowFocus: `inset 0 0 0 1px ${palette.accent}`,
      boxShadowFocus: focus,
    },
    Slider: { fillColor: palette.accent, fillColorHover: palette.accent, railHeight: '2px', handleSize: '12px' },
    Form: {
      labelFontSizeLeftMedium: '13px',
      feedbackFontSizeMedium: '12px',
      labelHeightMedium: CONTROL_HEIGHT,
      blankHeightMedium: CONTROL_HEIGHT,
    },
    Tag: {
      heightMedium: '22px',
      borderRadius: '4px',
      colorBordered: palette.panel,
      border: `1px solid ${palette.hairline}`,
    },
  }
}

function createOverlayOverrides(palette: Palette): ComponentOverrides {
  return {
    Alert: {
      padding: '12px',
      iconSize: '16px',
      iconMargin: '14px 8px 0 12px',
      colorError: palette['error-soft'],
      colorWarning: palette['warn-soft'],
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
    Empty: { textColor: palette.muted, extraTextColor: palette.text },
    Message: { padding: '8px 12px', iconSize: '16px', maxWidth: '480px' },
    Notification: { padding: '12px', titleFontSize: '13px', fontSize: '13px' },
    Popover: { padding: '8px 12px', space: '4px' },
    Progress: { fillColor: palette.accent, railHeight: '2px' },
    Timeline: { titleFontSizeMedium: '13px', iconSizeMedium: '12px' },
    Tooltip: {
      color: palette.text,
      textColor: palette.bg,
      padding: '3px 8px',
      peers: { Popover: { fontSize: '12px', padding: '3px 8px' } },
    },
  }
}
