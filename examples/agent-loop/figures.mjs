/** What the shops earned. */
export const FIGURES = {
  2024: { Lisbon: 310, Porto: 205, Faro: 98 },
  2025: { Lisbon: 342, Porto: 190, Faro: 121 },
};
