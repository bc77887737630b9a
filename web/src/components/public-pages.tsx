import { NavLink } from 'react-router';
import { paths } from '../app/paths';
import classes from './public-pages.module.css';

const pages = [
  { to: paths.models(), label: 'Models' },
  { to: paths.pricing(), label: 'Pricing' },
  { to: paths.status(), label: 'Status' },
  { to: paths.docs(), label: 'Docs' },
];

/** The pages that anybody may see, in the head of each of them. */
export function PublicPages({ className = '' }: { className?: string | undefined }) {
  return (
    <nav aria-label="Main" className={`${classes.pages} ${className}`}>
      {pages.map(({ to, label }) => (
        <NavLink key={to} to={to} end>
          {label}
        </NavLink>
      ))}
    </nav>
  );
}
