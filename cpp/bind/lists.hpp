// cpp/bind/lists.hpp: lists as arguments, in place of nanobind/stl/vector.h.
//
// nanobind converts lists in functions that must not throw, so that the process ends if there is no memory for a vector.
// Here it throws, and the caller gets a MemoryError. Tuples and optional values are still converted in such functions:
// lists inside of them must be taken as nb::list and cast to a vector later.
#pragma once

#include <nanobind/stl/detail/nb_list.h>

#include <vector>

namespace nanobind::detail {

template <class Entry>
struct type_caster<std::vector<Entry>> : list_caster<std::vector<Entry>, Entry> {
    template <class Flags>
    bool from_python(handle source, Flags flags, cleanup_list* cleanup) {
        this->value.clear();
        if (!PySequence_Check(source.ptr()) || PyUnicode_Check(source.ptr()) || PyBytes_Check(source.ptr())) return false;
        const object items = steal(PySequence_Tuple(source.ptr()));
        if (!items.is_valid()) {
            PyErr_Clear();
            return false;
        }
        const auto n = static_cast<std::size_t>(PyTuple_Size(items.ptr()));
        this->value.reserve(n);
        make_caster<Entry> caster;
        for (std::size_t i = 0; i < n; ++i) {
            PyObject* const item = PyTuple_GetItem(items.ptr(), static_cast<Py_ssize_t>(i));
            if (!caster.from_python(item, flags_for_local_caster<Entry>(flags), cleanup)) return false;
            if (!caster.template can_cast<Entry>()) return false;
            this->value.push_back(caster.operator cast_t<Entry>());
        }
        return true;
    }
};

}  // namespace nanobind::detail
